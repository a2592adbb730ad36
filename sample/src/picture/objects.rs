//! Things that stand outdoors. Each is drawn at a place and says where it is.

use super::{
    canvas::{Bounds, Canvas, Rgb, block, ellipse, hex, line, mix, polygon, scale, smooth},
    light::Light,
    random::{Random, noise, rough},
};

/// Where something stands: the middle of its foot, its height in pixels, and how far away it is (0 to 1).
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Pixels from the left.
    pub x: f32,
    /// Pixels from the top, of its foot.
    pub foot: f32,
    /// Its height.
    pub size: f32,
    /// 0 near, 1 at the horizon.
    pub depth: f32,
}

fn shadow(canvas: &mut Canvas, at: Place, reach: f32, light: &Light) {
    let strength = if light.lamps() { 0.25 } else { 0.42 };
    let shape = ellipse(at.x - light.side * reach * 0.35, at.foot, reach, reach * 0.16, 0.0);
    canvas.fade(&shape, reach * 0.09 + 1.0, strength, [0.04, 0.05, 0.08]);
}

/// A tree with a round crown.
pub fn tree(canvas: &mut Canvas, at: Place, light: &Light, random: &mut Random) -> Bounds {
    let Place { x, foot, size, depth } = at;
    shadow(canvas, at, size * 0.36, light);
    let bark = random.pick(&[hex(0x5b4331), hex(0x4b3a2e), hex(0x6a5848)]);
    let leaves = random.pick(&[0x3f7a2c, 0x4f8a33, 0x2f6a34, 0x6d8f30, 0xc77f2a, 0xa8482a]);
    let trunk = line([x, foot], [x + size * 0.01, foot - size * 0.5], size * 0.085, size * 0.045);
    let wood = |px: f32, py: f32| {
        let turn = (px - x) / (size * 0.05) * light.side;
        light.afar(light.on(scale(bark, 0.7 + 0.6 * rough(px * 0.5, py * 0.09, 3)), turn.clamp(-1.0, 1.0)), depth)
    };
    canvas.fill(&trunk, wood);
    for _ in 0..4 {
        let up = random.range(0.36, 0.5);
        let out = random.range(-0.2, 0.2);
        let branch =
            line([x, foot - size * up], [x + size * out, foot - size * (up + 0.16)], size * 0.035, size * 0.012);
        canvas.fill(&branch, wood);
    }
    let mut bounds = trunk.bounds;
    let mut blobs: Vec<[f32; 3]> = (0..46)
        .map(|_| {
            let (angle, out) = (random.range(0.0, std::f32::consts::TAU), random.unit().sqrt());
            [angle.cos() * out * 0.29, 0.66 + angle.sin() * out * 0.23, random.range(0.055, 0.11)]
        })
        .collect();
    // From below and behind to above and before, so that the lit ones lie on top.
    blobs.sort_by(|a, b| (a[1] + a[0] * light.side * 0.4).total_cmp(&(b[1] + b[0] * light.side * 0.4)));
    for (i, [dx, up, r]) in blobs.iter().enumerate() {
        let (cx, cy, r) = (x + dx * size, foot - up * size, r * size);
        let shape = ellipse(cx, cy, r, r * 0.9, 0.0);
        let height = i as f32 / blobs.len() as f32;
        canvas.fill(&shape, |px, py| {
            let facing = ((px - cx) * light.side - (py - cy)) / r * 0.55 + height * 1.1 - 0.75;
            let detail = 0.62 + 0.75 * rough(px * 0.31 + dx * 50.0, py * 0.31, 3);
            light.afar(light.on(scale(hex(leaves), detail), facing), depth)
        });
        bounds = bounds.join(shape.bounds);
    }
    bounds
}

/// A fir.
pub fn pine(canvas: &mut Canvas, at: Place, light: &Light, random: &mut Random) -> Bounds {
    let Place { x, foot, size, depth } = at;
    shadow(canvas, at, size * 0.24, light);
    let needles = random.pick(&[hex(0x23492f), hex(0x2d5a3a), hex(0x1f4038), hex(0x38603a)]);
    let snow = light.weather == super::light::Weather::Snow;
    let trunk = line([x, foot], [x, foot - size * 0.2], size * 0.05, size * 0.04);
    canvas
        .fill(&trunk, |px, py| light.afar(light.on(scale(hex(0x4a382b), 0.7 + 0.5 * noise(px, py * 0.2)), 0.0), depth));
    let mut bounds = trunk.bounds;
    const LAYERS: usize = 8;
    for i in 0..LAYERS {
        let t = i as f32 / LAYERS as f32;
        let bottom = foot - size * (0.08 + t * 0.76);
        let (top, half) =
            (bottom - size * (0.27 - t * 0.09), size * 0.235 * (1.0 - t * 0.86) * random.range(0.92, 1.06));
        let droop = half * 0.2;
        let layer = polygon([
            [x, top],
            [x + half * 0.6, bottom - droop * 1.4],
            [x + half, bottom],
            [x + half * 0.45, bottom - droop * 0.5],
            [x, bottom + droop * 0.25],
            [x - half * 0.5, bottom - droop * 0.5],
            [x - half, bottom],
            [x - half * 0.6, bottom - droop * 1.4],
        ]);
        canvas.fill(&layer, |px, py| {
            let side = ((px - x) / half * light.side).clamp(-1.0, 1.0);
            let low = (py - top) / (bottom - top);
            let detail = 0.5 + 0.9 * rough(px * 0.35, py * 0.22 + t * 9.0, 3);
            let color = light.on(scale(needles, detail), side * 0.7 + 0.35 - low * 0.55);
            let cap = if snow { smooth(0.45, 0.7, rough(px * 0.12, py * 0.2, 2) + 0.32 - low * 0.3) } else { 0.0 };
            light.afar(mix(color, light.on(hex(0xe9eef4), side * 0.4), cap), depth)
        });
        bounds = bounds.join(layer.bounds);
    }
    bounds
}

/// A house with two walls in sight.
pub fn house(canvas: &mut Canvas, at: Place, light: &Light, random: &mut Random) -> Bounds {
    let Place { x, foot, size, depth } = at;
    shadow(canvas, Place { x, ..at }, size * 0.85, light);
    let wall = random.pick(&[hex(0xe9dcc3), hex(0xd9c3a0), hex(0xe6e3dc), hex(0xb9553f), hex(0xc9d3d8), hex(0xd8b25c)]);
    let tiles = random.pick(&[hex(0x8c3b2a), hex(0x5a4a45), hex(0x74402f), hex(0x4c5560)]);
    let (s, d) = (size, if random.once_in(2) { 1.0 } else { -1.0 });
    // Measures run from the near corner: the gable wall to one side, the long wall to the other.
    let p = |u: f32, up: f32| [x + d * u * s, foot - up * s];
    let facing = d * light.side;
    let brick = |px: f32, py: f32, turned: f32| {
        let (row, rows) = ((py / (s * 0.028)).floor(), py / (s * 0.028));
        let column = px / (s * 0.07) + (row as i64 % 2) as f32 * 0.5;
        let joint = if rows.fract().abs() < 0.14 || column.fract().abs() < 0.06 { 0.9 } else { 1.0 };
        let stain = 0.82 + 0.3 * rough(px * 0.06, py * 0.06, 4);
        light.afar(light.on(scale(wall, joint * stain), turned), depth)
    };
    let chimney = polygon([p(-0.32, 0.8), p(-0.24, 0.8), p(-0.24, 1.02), p(-0.32, 1.02)]);
    canvas.fill(&chimney, |px, py| brick(px * 1.7, py * 1.7, facing * 0.4 - 0.2));
    let gable = polygon([p(0.1, 0.0), p(0.62, 0.06), p(0.62, 0.5), p(0.36, 0.84), p(0.1, 0.52)]);
    canvas.fill(&gable, |px, py| brick(px, py, facing * 0.6));
    let long = polygon([p(0.1, 0.0), p(-0.75, 0.05), p(-0.75, 0.48), p(0.1, 0.52)]);
    canvas.fill(&long, |px, py| brick(px, py, -facing * 0.6 + 0.1));
    let roof = polygon([p(0.14, 0.49), p(-0.8, 0.45), p(-0.52, 0.82), p(0.37, 0.88)]);
    canvas.fill(&roof, |px, py| {
        let row = (py / (s * 0.03)).fract().abs();
        let detail = (0.72 + 0.4 * rough(px * 0.2, py * 0.4, 3)) * if row < 0.2 { 0.8 } else { 1.0 };
        light.afar(light.on(scale(tiles, detail), -facing * 0.5 + 0.35), depth)
    });
    let edge = line(p(0.37, 0.88), p(0.66, 0.47), s * 0.035, s * 0.035);
    canvas.fill(&edge, |_, _| light.afar(light.on(scale(tiles, 0.75), facing * 0.4), depth));
    let lit = light.lamps();
    let glass = |_: f32, py: f32| {
        let day = light.on(mix(hex(0x2b3a48), hex(0x9db9cc), ((foot - py) / s).fract()), 0.0);
        light.afar(if lit { mix(hex(0xf6c860), hex(0xd9973a), (py / s).fract()) } else { day }, depth * 0.8)
    };
    let frame = light.afar(light.on(hex(0xf3efe6), 0.2), depth);
    for u in [-0.64, -0.42, -0.08] {
        let window = polygon([p(u, 0.2), p(u + 0.13, 0.2), p(u + 0.13, 0.37), p(u, 0.37)]);
        let around = polygon([p(u - 0.016, 0.184), p(u + 0.146, 0.184), p(u + 0.146, 0.386), p(u - 0.016, 0.386)]);
        canvas.fill(&around, |_, _| frame);
        canvas.fill(&window, glass);
        canvas.fill(&line(p(u + 0.065, 0.2), p(u + 0.065, 0.37), s * 0.014, s * 0.014), |_, _| frame);
        canvas.fill(&line(p(u, 0.285), p(u + 0.13, 0.285), s * 0.014, s * 0.014), |_, _| frame);
    }
    canvas.fill(&ellipse(p(0.36, 0.6)[0], p(0.36, 0.6)[1], s * 0.06, s * 0.07, 0.0), |_, _| frame);
    canvas.fill(&ellipse(p(0.36, 0.6)[0], p(0.36, 0.6)[1], s * 0.045, s * 0.055, 0.0), glass);
    let door = polygon([p(0.28, 0.022), p(0.44, 0.04), p(0.44, 0.33), p(0.28, 0.33)]);
    let paint = random.pick(&[hex(0x3d5a45), hex(0x6b2d2a), hex(0x2f4b6e), hex(0x5b4634)]);
    canvas.fill(&door, |px, py| {
        light.afar(light.on(scale(paint, 0.8 + 0.3 * noise(px * 0.6, py * 0.05)), facing * 0.3), depth)
    });
    gable.bounds.join(long.bounds).join(roof.bounds).join(chimney.bounds).join(edge.bounds)
}

/// A car from the side.
pub fn car(canvas: &mut Canvas, at: Place, light: &Light, random: &mut Random) -> Bounds {
    let Place { x, foot, size: s, depth } = at;
    let d = random.pick(&[1.0, -1.0]);
    let p = |u: f32, up: f32| [x + d * u * s, foot - up * s];
    let dark = ellipse(x, foot, s * 1.28, s * 0.1, 0.0);
    canvas.fade(&dark, s * 0.1, 0.6, [0.03, 0.03, 0.04]);
    let body = random.pick(&[hex(0xb3262a), hex(0x2456a0), hex(0xd8d9db), hex(0x26282c), hex(0xe2b021), hex(0x2f7a55)]);
    let shine = |px: f32, py: f32| {
        let up = (foot - py) / s;
        // The sky above the crease, the road below it, and a bright line along the shoulder.
        let sky = smooth(0.3, 0.62, up) * 0.4 - 0.25 * smooth(0.3, 0.1, up);
        let edge = 0.55 * (1.0 - ((up - 0.5) / 0.035).abs()).max(0.0);
        let sheen = 0.06 * noise(px * 0.03, py * 0.01);
        light.afar(light.on(mix(body, light.sky[1], 0.14 + edge * 0.5), sky + sheen + 0.1), depth)
    };
    let cabin = polygon([p(-0.78, 0.54), p(-0.52, 0.92), p(-0.3, 0.98), p(0.12, 0.97), p(0.3, 0.9), p(0.62, 0.54)]);
    canvas.fill(&cabin, shine);
    let glass = |px: f32, py: f32| {
        let glare = smooth(0.42, 0.6, noise((px + py) * 0.035 / (s * 0.01), 3.0));
        let t = ((foot - py) / s - 0.55) * 2.2;
        light.afar(light.on(mix(hex(0x18222c), light.sky[1], t * 0.55 + glare * 0.18), 0.0), depth)
    };
    canvas.fill(&polygon([p(-0.62, 0.57), p(-0.46, 0.87), p(-0.28, 0.92), p(-0.2, 0.92), p(-0.2, 0.57)]), glass);
    canvas.fill(&polygon([p(-0.14, 0.57), p(-0.14, 0.92), p(0.11, 0.91), p(0.25, 0.86), p(0.5, 0.57)]), glass);
    let hull = polygon([
        p(-1.16, 0.2),
        p(-1.19, 0.46),
        p(-1.1, 0.57),
        p(-0.7, 0.6),
        p(0.58, 0.59),
        p(1.02, 0.5),
        p(1.18, 0.38),
        p(1.17, 0.2),
        p(0.9, 0.15),
        p(-0.9, 0.15),
    ]);
    canvas.fill(&hull, shine);
    let seam = light.afar(scale(body, 0.35), depth);
    for u in [-0.17, 0.52] {
        canvas.fill(&line(p(u, 0.56), p(u - 0.03, 0.2), s * 0.012, s * 0.012), |_, _| seam);
    }
    canvas.fill(&line(p(-0.32, 0.48), p(-0.22, 0.48), s * 0.025, s * 0.025), |_, _| seam);
    let lamp = if light.lamps() { hex(0xfff2c0) } else { light.on(hex(0xe9f1f5), 0.3) };
    canvas.fill(&ellipse(p(1.1, 0.41)[0], p(1.1, 0.41)[1], s * 0.065, s * 0.04, 0.0), |_, _| lamp);
    canvas.fill(&ellipse(p(-1.15, 0.45)[0], p(-1.15, 0.45)[1], s * 0.035, s * 0.05, 0.0), |_, _| {
        light.on(hex(0xc4202a), 0.3)
    });
    if light.lamps() {
        canvas.fade(&ellipse(p(1.2, 0.4)[0], p(1.2, 0.4)[1], s * 0.3, s * 0.2, 0.0), s * 0.25, 0.35, hex(0xffedb5));
    }
    let mut bounds = hull.bounds.join(cabin.bounds);
    for u in [-0.7, 0.72] {
        let [cx, cy] = [p(u, 0.0)[0], foot - s * 0.2];
        canvas.fill(&ellipse(cx, cy, s * 0.255, s * 0.255, 0.0), |_, _| light.afar(hex(0x0d0e10), depth));
        let tyre = ellipse(cx, cy, s * 0.215, s * 0.215, 0.0);
        canvas.fill(&tyre, |px, py| {
            light.afar(light.on(scale(hex(0x2a2a2c), 0.7 + 0.4 * noise(px, py)), (cy - py) / s), depth)
        });
        canvas.fill(&ellipse(cx, cy, s * 0.14, s * 0.14, 0.0), |_, py| {
            light.afar(light.on(hex(0xb9bec4), (cy - py) / s * 3.0), depth)
        });
        for k in 0..5 {
            let (sin, cos) = (k as f32 * 1.2566 + cx).sin_cos();
            let spoke = line(
                [cx + cos * s * 0.05, cy + sin * s * 0.05],
                [cx + cos * s * 0.11, cy + sin * s * 0.11],
                s * 0.02,
                s * 0.05,
            );
            canvas.fill(&spoke, |_, _| light.afar(hex(0x303338), depth));
        }
        bounds = bounds.join(tyre.bounds);
    }
    bounds
}

/// A sailing boat; `foot` is the water's surface.
pub fn boat(canvas: &mut Canvas, at: Place, light: &Light, random: &mut Random) -> Bounds {
    let Place { x, foot, size: s, depth } = at;
    let d = random.pick(&[1.0, -1.0]);
    let p = |u: f32, up: f32| [x + d * u * s, foot - up * s];
    let sailcloth = random.pick(&[hex(0xf4efe4), hex(0xf4efe4), hex(0xc43d33), hex(0x2f5f9b), hex(0xe7a83a)]);
    let paint = random.pick(&[hex(0xf1f1ee), hex(0x27436b), hex(0x7d2f2a), hex(0x2e6b5e)]);
    let mast = line(p(0.0, 0.1), p(0.0, 1.0), s * 0.018, s * 0.012);
    canvas.fill(&mast, |_, _| light.afar(light.on(hex(0x7a5a3c), 0.2), depth));
    let cloth = |px: f32, py: f32| {
        let belly = ((px - x) / (s * 0.4) * light.side).clamp(-1.0, 1.0);
        let seam = if ((foot - py) / (s * 0.085)).fract() < 0.07 { 0.93 } else { 1.0 };
        light.afar(
            light.on(scale(sailcloth, seam * (0.94 + 0.1 * noise(px * 0.06, py * 0.04))), belly * 0.5 + 0.25),
            depth,
        )
    };
    let main = polygon([p(-0.03, 0.2), p(-0.03, 0.97), p(-0.2, 0.62), p(-0.42, 0.22)]);
    canvas.fill(&main, cloth);
    let jib = polygon([p(0.03, 0.19), p(0.02, 0.88), p(0.2, 0.52), p(0.44, 0.17)]);
    canvas.fill(&jib, cloth);
    canvas.fill(&line(p(0.01, 0.19), p(-0.44, 0.2), s * 0.016, s * 0.016), |_, _| {
        light.afar(light.on(hex(0x6b4d33), 0.0), depth)
    });
    let cabin = polygon([p(-0.24, 0.1), p(-0.22, 0.17), p(0.12, 0.165), p(0.18, 0.1)]);
    canvas.fill(&cabin, |_, py| light.afar(light.on(hex(0xe8e2d2), (foot - py) / s - 0.1), depth));
    let hull = polygon([
        p(-0.46, 0.12),
        p(0.12, 0.11),
        p(0.56, 0.15),
        p(0.46, 0.05),
        p(0.36, -0.02),
        p(-0.38, -0.02),
        p(-0.44, 0.04),
    ]);
    canvas.fill(&hull, |px, py| {
        let up = (foot - py) / s;
        let stripe = if (0.085..0.1).contains(&up) { hex(0xe7c66a) } else { paint };
        light.afar(light.on(scale(stripe, 0.93 + 0.1 * noise(px * 0.05, py * 0.3)), up * 5.0 - 0.3), depth)
    });
    hull.bounds.join(mast.bounds).join(main.bounds).join(jib.bounds)
}

/// A hot-air balloon; `foot` is under its basket.
pub fn balloon(canvas: &mut Canvas, at: Place, light: &Light, random: &mut Random) -> Bounds {
    let Place { x, foot, size: s, depth } = at;
    let schemes: [[u32; 3]; 5] = [
        [0xc8332f, 0xf2c14e, 0xf4efe4],
        [0x2f6db5, 0xf4efe4, 0xe58a2f],
        [0x3e8e5a, 0xf2d45c, 0xd2452f],
        [0x7a3f8f, 0xf29f4b, 0xf4e3c1],
        [0xd9542b, 0x2b4c7e, 0xf4efe4],
    ];
    let scheme = random.pick(&schemes).map(hex);
    let (cy, r) = (foot - s * 0.62, s * 0.36);
    for u in [-0.055, -0.02, 0.02, 0.055] {
        canvas.fill(
            &line([x + u * s, foot - s * 0.08], [x + u * s * 3.0, foot - s * 0.3], s * 0.006, s * 0.006),
            |_, _| light.afar(hex(0x3a332c), depth),
        );
    }
    let skin = |px: f32, py: f32| {
        // The half-width of the envelope here, so that the gores run together above and below.
        let v = (py - cy) / r;
        let half = if v < 0.35 {
            (1.0 - v * v).max(0.01).sqrt()
        } else {
            (1.0 - 0.35f32 * 0.35).sqrt() * (1.0 - (v - 0.35) * 0.97)
        };
        let u = ((px - x) / (r * half.max(0.05))).clamp(-0.999, 0.999);
        let gore = (u.asin() / std::f32::consts::PI + 0.5) * 12.0;
        let band = (v > 0.1 && v < 0.3) || v < -0.9;
        let color = if band { scheme[2] } else { scheme[(gore as usize) % 2] };
        let seam = if gore.fract() < 0.06 { 0.85 } else { 1.0 };
        let facing = u * light.side * 0.75 - v * 0.35;
        let glow = if light.lamps() { smooth(1.2, -0.4, v.abs()) * 0.55 } else { 0.0 };
        light.afar(mix(light.on(scale(color, seam), facing), scale(color, 1.15), glow), depth)
    };
    let neck = polygon([
        [x - r * 0.94, cy + r * 0.34],
        [x + r * 0.94, cy + r * 0.34],
        [x + r * 0.62, cy + r * 0.72],
        [x + r * 0.26, cy + r * 1.1],
        [x - r * 0.26, cy + r * 1.1],
        [x - r * 0.62, cy + r * 0.72],
    ]);
    canvas.fill(&neck, skin);
    let envelope = ellipse(x, cy, r, r, 0.0);
    canvas.fill(&envelope, skin);
    let basket = block(x - s * 0.065, foot - s * 0.1, x + s * 0.065, foot, s * 0.015);
    canvas.fill(&basket, |px, py| {
        let weave = if ((px / (s * 0.014)) as i64 + (py / (s * 0.014)) as i64) % 2 == 0 { 0.85 } else { 1.05 };
        light.afar(light.on(scale(hex(0x8a6238), weave), (px - x) / s * 6.0 * light.side), depth)
    });
    envelope.bounds.join(neck.bounds).join(basket.bounds)
}

/// A flower on its stem.
pub fn flower(canvas: &mut Canvas, at: Place, light: &Light, random: &mut Random) -> Bounds {
    let Place { x, foot, size: s, depth } = at;
    let (petal, middle): (Rgb, Rgb) = random.pick(&[
        (hex(0xf6f1e8), hex(0xe9b52c)),
        (hex(0xf2c12e), hex(0x5a3820)),
        (hex(0xd7526c), hex(0xe9b52c)),
        (hex(0x8a63b8), hex(0xf0d060)),
        (hex(0xe2572b), hex(0x40281c)),
    ]);
    let [hx, hy] = [x + s * random.range(-0.08, 0.08), foot - s * 0.76];
    let green = hex(0x4d8038);
    let stem = line([x, foot], [hx, hy], s * 0.035, s * 0.026);
    canvas.fill(&stem, |px, py| {
        light.afar(light.on(scale(green, 0.8 + 0.3 * noise(px, py * 0.1)), (px - x) / s * 20.0 * light.side), depth)
    });
    for d in [-1.0, 1.0] {
        let leaf = ellipse(x + d * s * 0.13, foot - s * random.range(0.2, 0.34), s * 0.14, s * 0.04, -d * 0.55);
        canvas.fill(&leaf, |px, py| {
            light.afar(light.on(scale(green, 0.8 + 0.35 * rough(px * 0.2, py * 0.2, 2)), d * light.side * 0.4), depth)
        });
    }
    let count = 11 + random.below(8);
    let turn = random.unit();
    let mut bounds = stem.bounds;
    for ring in 0..2 {
        let (out, long) = if ring == 0 { (0.15, 0.1) } else { (0.115, 0.08) };
        for i in 0..count {
            let angle = (i as f32 + turn + ring as f32 * 0.5) / count as f32 * std::f32::consts::TAU;
            let (sin, cos) = angle.sin_cos();
            let (cx, cy) = (hx + cos * s * out, hy + sin * s * out * 0.92);
            let shape = ellipse(cx, cy, s * long, s * 0.036, angle);
            canvas.fill(&shape, |px, py| {
                let far = (px - hx).hypot(py - hy) / (s * 0.25);
                let vein = 0.93 + 0.1 * noise((px - cx) * sin * 0.6 - (py - cy) * cos * 0.6, far * 2.0);
                let facing = (cos * light.side - sin) * 0.35 + far * 0.5 - 0.15;
                light.afar(light.on(scale(petal, vein * (0.75 + 0.25 * far.min(1.0))), facing), depth)
            });
            bounds = bounds.join(shape.bounds);
        }
    }
    let disc = ellipse(hx, hy, s * 0.078, s * 0.072, 0.0);
    canvas.fill(&disc, |px, py| {
        let facing = ((px - hx) * light.side - (py - hy)) / (s * 0.08) * 0.6;
        light.afar(light.on(scale(middle, 0.6 + 0.7 * rough(px * 0.7, py * 0.7, 2)), facing), depth)
    });
    bounds
}
