"""Questions, what the student answered, and the page that shows it."""
