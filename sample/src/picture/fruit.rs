//! Things that lie on a table.

use super::{
    canvas::{Bounds, Canvas, Rgb, ellipse, hex, line, mix, scale, smooth},
    light::Light,
    objects::Place,
    random::{Random, noise, rough},
};

/// How a fruit differs from a ball.
struct Skin {
    colors: [Rgb; 2],
    /// How wide for its height.
    wide: f32,
    /// How rough, and how fine.
    bumps: [f32; 2],
    gloss: f32,
}

/// An apple.
pub fn apple(canvas: &mut Canvas, at: Place, light: &Light, random: &mut Random) -> Bounds {
    let colors =
        random.pick(&[[hex(0xb8231f), hex(0xe3a23c)], [hex(0x9a1626), hex(0xc94a35)], [hex(0x7fa32e), hex(0xc5c84e)]]);
    let bounds = ball(canvas, at, light, random, &Skin { colors, wide: 1.08, bumps: [0.12, 0.03], gloss: 0.75 });
    let (x, top) = (at.x, at.foot - at.size);
    canvas.fade(
        &ellipse(x, top + at.size * 0.1, at.size * 0.13, at.size * 0.05, 0.0),
        at.size * 0.06,
        0.6,
        scale(colors[0], 0.3),
    );
    bounds.join(stem(canvas, at, light, true))
}

/// An orange.
pub fn orange(canvas: &mut Canvas, at: Place, light: &Light, random: &mut Random) -> Bounds {
    let colors = random.pick(&[[hex(0xe8821e), hex(0xf0a030)], [hex(0xdf6a17), hex(0xec9128)]]);
    let bounds = ball(canvas, at, light, random, &Skin { colors, wide: 1.02, bumps: [0.3, 0.45], gloss: 0.4 });
    let star = ellipse(at.x + at.size * 0.06, at.foot - at.size * 0.9, at.size * 0.05, at.size * 0.03, 0.0);
    canvas.fade(&star, 2.0, 0.8, hex(0x5d6b2c));
    bounds
}

/// A pear.
pub fn pear(canvas: &mut Canvas, at: Place, light: &Light, random: &mut Random) -> Bounds {
    let colors =
        random.pick(&[[hex(0xb9b544), hex(0xd9cf73)], [hex(0xc9a23c), hex(0xdcc267)], [hex(0x8ea03a), hex(0xc6bd5a)]]);
    let Place { x, foot, size, .. } = at;
    shadow(canvas, at, size * 0.36, light);
    // A round body and a slim neck, melted together.
    let (lower, upper) = ([x, foot - size * 0.34, size * 0.34], [x + size * 0.03, foot - size * 0.72, size * 0.19]);
    let hull = ellipse(x, foot - size * 0.47, size * 0.36, size * 0.48, 0.0);
    let near = move |px: f32, py: f32, [cx, cy, r]: [f32; 3]| (px - cx).hypot(py - cy) - r;
    let depth_of = move |px: f32, py: f32| {
        let (a, b, k) = (near(px, py, lower), near(px, py, upper), size * 0.22);
        let h = (0.5 + 0.5 * (b - a) / k).clamp(0.0, 1.0);
        b + (a - b) * h - k * h * (1.0 - h)
    };
    let shape = hull.with_distance(depth_of);
    canvas.fill(&shape, |px, py| {
        // What the surface bends around moves up the pear with it.
        let up = smooth(foot - size * 0.36, foot - size * 0.72, py);
        let [cx, cy, r] = [0, 1, 2].map(|i| lower[i] + (upper[i] - lower[i]) * up);
        let (u, v) = ((px - cx) / (r * 1.1), (py - cy) / (r * 1.4));
        let rim = smooth(0.0, 0.34, -depth_of(px, py) / size);
        let facing = (u * light.side * 0.7 - v * 0.35).clamp(-0.9, 0.9) * (1.2 - rim * 0.5);
        let dots = if noise(px * 0.55, py * 0.55) > 0.83 { 0.82 } else { 1.0 };
        let color = mix(colors[0], colors[1], rough(px * 0.02, py * 0.02, 3) * 1.3 - 0.15);
        let spot = highlight(px - (x + light.side * size * 0.12), py - (foot - size * 0.5), size * 0.1) * 0.45;
        mix(light.on(scale(color, dots * (0.72 + 0.3 * rim)), facing), [1.0, 1.0, 0.96], spot)
    });
    shape.bounds.join(stem(canvas, Place { x: upper[0], foot, size: size * 1.0, depth: 0.0 }, light, false))
}

fn highlight(dx: f32, dy: f32, r: f32) -> f32 {
    smooth(1.0, 0.0, (dx * dx + dy * dy).sqrt() / r)
}

fn shadow(canvas: &mut Canvas, at: Place, reach: f32, light: &Light) {
    let x = at.x - light.side * reach * 0.7;
    canvas.fade(
        &ellipse(x, at.foot - reach * 0.05, reach * 1.35, reach * 0.3, 0.0),
        reach * 0.32,
        0.45,
        [0.06, 0.04, 0.03],
    );
    canvas.fade(&ellipse(at.x, at.foot, reach * 0.75, reach * 0.12, 0.0), reach * 0.12, 0.6, [0.03, 0.02, 0.02]);
}

fn ball(canvas: &mut Canvas, at: Place, light: &Light, random: &mut Random, skin: &Skin) -> Bounds {
    let Place { x, foot, size, .. } = at;
    let (ry, rx) = (size / 2.0, size / 2.0 * skin.wide);
    let cy = foot - ry;
    shadow(canvas, at, rx, light);
    let shape = ellipse(x, cy, rx, ry, 0.0);
    let patch = random.range(0.0, 90.0);
    canvas.fill(&shape, |px, py| {
        let (u, v) = ((px - x) / rx, (py - cy) / ry);
        let w = (1.0 - u * u - v * v).max(0.0).sqrt();
        let bump = (rough(px * skin.bumps[1] + patch, py * skin.bumps[1], 2) - 0.5) * skin.bumps[0];
        let facing = u * light.side * 0.6 - v * 0.55 + w * 0.55 - 0.3 + bump;
        // Streaks run from stem to blossom.
        let streak = rough(u / (w + 0.35) * 3.0 + patch, v * 0.8, 4);
        let color = mix(skin.colors[0], skin.colors[1], smooth(0.42, 0.72, streak));
        let lit = light.on(scale(color, 0.62 + 0.42 * w), facing * 1.15);
        // What the table throws back from below.
        let lit = mix(lit, hex(0x9a6a3e), smooth(0.55, 1.0, v) * 0.22);
        let spot = highlight(u - light.side * 0.36, v + 0.42, 0.3) * skin.gloss;
        mix(lit, [1.0, 0.99, 0.96], spot * (0.85 + bump))
    });
    shape.bounds
}

fn stem(canvas: &mut Canvas, at: Place, light: &Light, leaf: bool) -> Bounds {
    let (s, top) = (at.size, at.foot - at.size * 0.93);
    let stalk = line([at.x, top + s * 0.05], [at.x + s * 0.06, top - s * 0.12], s * 0.03, s * 0.042);
    canvas.fill(&stalk, |px, _| light.on(hex(0x5a3f26), (px - at.x) / s * 9.0 * light.side));
    if !leaf {
        return stalk.bounds;
    }
    let blade = ellipse(at.x + s * 0.2, top - s * 0.08, s * 0.16, s * 0.06, -0.4);
    canvas.fill(&blade, |px, py| light.on(scale(hex(0x4f7f35), 0.8 + 0.35 * rough(px * 0.1, py * 0.3, 2)), 0.1));
    stalk.bounds.join(blade.bounds)
}
