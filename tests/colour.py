"""Contrast, colour blindness and colour difference, from the published formulas.

Contrast: WCAG 2.2. Simulation: Machado, Oliveira and Fernandes (2009), full severity, in
linear RGB. Difference: CIEDE2000, as in Sharma, Wu and Dalal (2005).
"""

import numpy as np

VISIONS = {
    "full colour vision": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
WHITE = TO_XYZ.sum(axis=1)


def linear(colour):
    """Linear RGB of "#rrggbb" or "#rgb", shape (3,)."""
    digits = colour.lstrip("#")
    digits = digits if len(digits) == 6 else "".join(2 * digit for digit in digits)
    rgb = np.array([int(digits[place : place + 2], 16) for place in (0, 2, 4)]) / 255
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """From 1 (none) to 21 (black on white)."""
    dark, light = sorted(linear(colour) @ TO_XYZ[1] for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def difference(one, other, vision):
    """CIEDE2000 between two colours as somebody with this vision sees them."""
    return ciede2000(*(lab(np.clip(VISIONS[vision] @ linear(c), 0, 1)) for c in (one, other)))


def lab(rgb):
    """CIE L*a*b* of linear RGB."""
    share = TO_XYZ @ rgb / WHITE
    x, y, z = np.where(share > (6 / 29) ** 3, np.cbrt(share), share / (3 * (6 / 29) ** 2) + 4 / 29)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def ciede2000(one, other):
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    stretch = 1.5 - 0.5 * np.sqrt(mean**7 / (mean**7 + 25**7))
    c1, c2 = np.hypot(stretch * a1, b1), np.hypot(stretch * a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, stretch * a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0
    hue = h1 + turn / 2 if c1 * c2 else h1 + h2
    lightness, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    weights = {0: 1, 1: -0.17, 2: 0.24, 3: 0.32, 4: -0.20}
    offsets = {0: 0, 1: -30, 2: 0, 3: 6, 4: -63}
    t = sum(w * np.cos(np.radians(n * hue + offsets[n])) for n, w in weights.items())
    bow = 30 * np.exp(-(((hue % 360 - 275) / 25) ** 2))
    rotation = -2 * np.sqrt(chroma**7 / (chroma**7 + 25**7)) * np.sin(np.radians(2 * bow))
    by_lightness = (l2 - l1) / (
        1 + 0.015 * (lightness - 50) ** 2 / np.sqrt(20 + (lightness - 50) ** 2)
    )
    by_chroma = (c2 - c1) / (1 + 0.045 * chroma)
    by_hue = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * chroma * t)
    return np.sqrt(by_lightness**2 + by_chroma**2 + by_hue**2 + rotation * by_chroma * by_hue)
