//! Where things stand: sky, hills, ground or water, or a table before a wall.

use super::{
    Hour, Picture, Thing, Weather,
    canvas::{Bounds, Canvas, Rgb, ellipse, hex, line, mix, scale, smooth},
    fruit,
    light::Light,
    objects::{self, Place},
    random::{Random, grain, noise, rough},
};

type Draw = fn(&mut Canvas, Place, &Light, &mut Random) -> Bounds;

/// How to draw each class, in the order of the classes.
const DRAW: [Draw; 10] = [
    objects::tree,
    objects::pine,
    objects::house,
    objects::boat,
    objects::car,
    objects::balloon,
    objects::flower,
    fruit::apple,
    fruit::orange,
    fruit::pear,
];
const TREE: usize = 0;
const PINE: usize = 1;
const HOUSE: usize = 2;
const BOAT: usize = 3;
const CAR: usize = 4;
const BALLOON: usize = 5;
const FLOWER: usize = 6;

/// A scene in the making.
struct Scene {
    canvas: Canvas,
    light: Light,
    things: Vec<Thing>,
}

impl Scene {
    fn put(&mut self, class: usize, at: Place, random: &mut Random) -> Bounds {
        let bounds = DRAW[class](&mut self.canvas, at, &self.light, random);
        let [left, top, right, bottom] = bounds.edges;
        let clip = |v: f32, most: usize| v.clamp(0.0, most as f32) as u32;
        let (x, y) = (clip(left.floor(), self.canvas.width), clip(top.floor(), self.canvas.height));
        let (w, h) = (clip(right.ceil(), self.canvas.width) - x, clip(bottom.ceil(), self.canvas.height) - y);
        if w >= 4 && h >= 4 {
            self.things.push(Thing { class, bbox: [x, y, w, h] });
        }
        bounds
    }

    fn picture(self, class: usize, caption: String) -> Picture {
        Picture { canvas: self.canvas, class, things: self.things, light: self.light, caption }
    }
}

pub(super) fn landscape(class: usize, width: usize, height: usize, random: &mut Random) -> Picture {
    let light = Light::outdoors(random);
    let mut scene = Scene { canvas: Canvas::new(width, height), light, things: Vec::new() };
    let (w, h) = (width as f32, height as f32);
    let unit = w.min(h * 1.3);
    let horizon = h * match class {
        BALLOON => random.range(0.72, 0.82),
        FLOWER => random.range(0.3, 0.45),
        _ => random.range(0.48, 0.6),
    };
    let shift = random.range(0.0, 200.0);
    sky(&mut scene, horizon, shift, random);
    hills(&mut scene, horizon, shift, random);
    let ground =
        if class == BOAT { water(&mut scene, horizon, shift) } else { meadow(&mut scene, horizon, shift, random) };
    if class == CAR {
        road(&mut scene, h * 0.8, h * 0.1);
    }
    // Small things far away first.
    let others: &[usize] = match class {
        BOAT => &[BOAT],
        BALLOON => &[TREE, PINE, HOUSE],
        PINE => &[PINE],
        FLOWER => &[FLOWER],
        _ => &[TREE, PINE, TREE, HOUSE],
    };
    let count = if class == BOAT { random.below(3) } else { 2 + random.below(5) };
    let mut depths: Vec<f32> = (0..count).map(|_| random.range(0.35, 0.92)).collect();
    depths.sort_by(|a, b| b.total_cmp(a));
    for depth in depths {
        let other = random.pick(others);
        let tall = match other {
            HOUSE => 0.34,
            FLOWER => 0.42,
            BOAT => 0.4,
            _ => 0.5,
        };
        let near = 1.0 - depth;
        let foot = horizon + (h - horizon) * near * near * 0.85 + 2.0;
        let size = unit * tall * (0.16 + 0.84 * near) * random.range(0.8, 1.2);
        scene.put(other, Place { x: random.range(0.02, 0.98) * w, foot, size, depth: depth * 0.8 }, random);
    }
    if class == BALLOON && random.once_in(2) {
        let at =
            Place { x: random.range(0.1, 0.9) * w, foot: h * random.range(0.3, 0.5), size: unit * 0.17, depth: 0.5 };
        scene.put(BALLOON, at, random);
    }
    let (foot, size) = match class {
        HOUSE => (0.86, random.range(0.46, 0.56)),
        CAR => (0.86, random.range(0.26, 0.33)),
        BALLOON => (random.range(0.62, 0.76), random.range(0.5, 0.62)),
        FLOWER => (1.04, random.range(0.75, 0.95)),
        BOAT => (random.range(0.76, 0.84), random.range(0.6, 0.74)),
        _ => (0.92, random.range(0.68, 0.88)),
    };
    // Not taller than the picture: a car's measure is its half length.
    let most = if class == CAR { w * 0.4 } else { h * foot * 0.97 };
    let at = Place { x: w * random.range(0.36, 0.64), foot: h * foot, size: (unit * size).min(most), depth: 0.0 };
    scene.put(class, at, random);
    if class == BOAT {
        mirror(&mut scene.canvas, at.foot, at.x, at.size * 0.62, shift);
    }
    let name = super::CLASSES[class];
    let sky_is = match light.weather {
        Weather::Clear => "under a clear sky",
        Weather::Cloudy => "under a cloudy sky",
        Weather::Fog => "in fog",
        Weather::Rain => "in the rain",
        Weather::Snow => "in the snow",
    };
    let hour = match light.hour {
        Hour::Day => "",
        Hour::Morning => " in the morning",
        Hour::Dusk => " at dusk",
        Hour::Night => " at night",
    };
    let caption = format!("A {name} {} {sky_is}{hour}", if class == BALLOON { "above the hills" } else { ground });
    scene.picture(class, caption)
}

fn sky(scene: &mut Scene, horizon: f32, shift: f32, random: &mut Random) {
    let light = scene.light;
    let (w, h) = (scene.canvas.width as f32, scene.canvas.height as f32);
    let clouds = match light.weather {
        Weather::Clear => random.range(0.62, 0.75),
        Weather::Cloudy => random.range(0.4, 0.48),
        Weather::Fog => 0.7,
        Weather::Rain | Weather::Snow => 0.35,
    };
    let night = light.hour == Hour::Night;
    let bright = if night { hex(0x2c3550) } else { mix(hex(0xffffff), light.color, 0.45) };
    let dark = mix(scale(light.sky[0], 0.85), hex(0x70767e), if night { 0.05 } else { 0.55 });
    let [sx, sy] = [w * (0.5 + 0.36 * light.side), horizon * if light.hour == Hour::Day { 0.2 } else { 0.62 }];
    let sun = if night { hex(0xe8ecf2) } else { mix(hex(0xfff6d8), light.color, 0.3) };
    let veiled = matches!(light.weather, Weather::Rain | Weather::Snow | Weather::Fog);
    let radius = h * if night { 0.035 } else { 0.045 };
    let shown = if veiled { 0.25 } else { 1.0 };
    scene.canvas.map(|x, y, _| {
        let (x, y) = (x as f32, y as f32);
        let t = (y / horizon).min(1.0);
        let mut color = mix(light.sky[0], light.sky[1], t * t * 0.6 + t * 0.4);
        if night && !veiled && y < horizon {
            let star = grain((x * 0.7) as usize, (y * 0.7) as usize, 99);
            if star > 0.9975 {
                color = mix(color, [1.0; 3], (star - 0.9975) * 300.0 * (1.0 - t));
            }
        }
        let far = (x - sx).hypot(y - sy) / h;
        color = mix(color, sun, shown * (0.55 * smooth(0.45, 0.0, far) * smooth(0.5, 0.0, far)));
        color = mix(color, sun, shown * smooth(radius / h * 1.06, radius / h * 0.94, far));
        // Clouds are seen at a slant: they crowd together towards the horizon.
        let slant = 1.0 / (1.12 - t * 0.95);
        let (cx, cy) = ((x - w / 2.0) / h * slant * 1.5 + shift, slant * 2.6 + shift * 0.3);
        let thick = rough(cx, cy, 5);
        let cover = smooth(clouds, clouds + 0.2, thick);
        if cover > 0.0 {
            let shade = smooth(-0.1, 0.22, thick - rough(cx - light.side * 0.12, cy + 0.16, 4));
            color = mix(color, mix(dark, bright, 0.25 + 0.75 * shade), cover * 0.92 * (1.0 - t * t * 0.5));
        }
        color
    });
}

fn hills(scene: &mut Scene, horizon: f32, shift: f32, random: &mut Random) {
    let light = scene.light;
    let h = scene.canvas.height as f32;
    let snowy = random.once_in(2);
    let ranges = 1 + random.below(3);
    for i in 0..ranges {
        let depth = 0.95 - 0.42 * (i + 1) as f32 / ranges as f32;
        let (tall, steep) = (h * random.range(0.1, 0.3) * depth, random.range(1.1, 2.2));
        let rock = random.pick(&[hex(0x5d6a74), hex(0x6d7a63), hex(0x7d6f5f), hex(0x4f6350)]);
        let ridge: Vec<f32> = (0..scene.canvas.width)
            .map(|x| {
                horizon + 2.0
                    - tall * rough(x as f32 / h * steep * 2.0 + shift + i as f32 * 31.0, 5.0 + i as f32, 6) * 1.5
            })
            .collect();
        let last = ridge.len() - 1;
        scene.canvas.map(|x, y, old| {
            let fy = y as f32;
            let cover = (fy + 0.5 - ridge[x]).clamp(0.0, 1.0);
            if cover == 0.0 || fy > horizon + 2.0 {
                return old;
            }
            let below = (fy - ridge[x]) / tall;
            let slope = (ridge[(x + 3).min(last)] - ridge[x.saturating_sub(3)]) / 6.0;
            let fold = rough(x as f32 * 0.035 + shift, fy * 0.07 + shift, 4);
            let facing = (-slope * light.side * 0.9 + (fold - 0.5) * 1.6).clamp(-1.0, 1.0);
            let cap =
                if snowy { smooth(0.32, 0.12, below + (fold - 0.5) * 0.3) * smooth(0.12, 0.2, tall / h) } else { 0.0 };
            let forest = smooth(0.5, 0.85, below + (fold - 0.5) * 0.5);
            let color = mix(mix(rock, hex(0x3f5a3c), forest * 0.7), hex(0xf0f3f7), cap);
            mix(old, light.afar(light.on(scale(color, 0.7 + 0.5 * fold), facing), depth), cover)
        });
    }
}

/// Grass, sand or snow; says which.
fn meadow(scene: &mut Scene, horizon: f32, shift: f32, random: &mut Random) -> &'static str {
    let light = scene.light;
    let (w, h) = (scene.canvas.width as f32, scene.canvas.height as f32);
    let (name, colors): (_, [Rgb; 2]) = if light.weather == Weather::Snow {
        ("on a snowy field", [hex(0xdfe5ec), hex(0xc2ccd8)])
    } else {
        random.pick(&[
            ("in a meadow", [hex(0x6f9440), hex(0x47702f)]),
            ("in a meadow", [hex(0x83a04a), hex(0x5b7a35)]),
            ("on a dry field", [hex(0xb9a25a), hex(0x8d7b42)]),
            ("on sandy ground", [hex(0xd3b88a), hex(0xb3946a)]),
        ])
    };
    let blades = if name == "in a meadow" || name == "on a dry field" { 1.0 } else { 0.25 };
    scene.canvas.map(|x, y, old| {
        let (fx, fy) = (x as f32, y as f32);
        if fy < horizon {
            return old;
        }
        // The plane runs away from the eye: one over the distance below the horizon.
        let t = ((fy - horizon) / (h - horizon)).max(0.004);
        let (px, py) = ((fx - w / 2.0) / h / t * 3.0, 3.0 / t);
        let patches = rough(px * 0.5 + shift, py * 0.5, 4);
        let tufts = noise(fx * 0.9 / (0.4 + t), fy * 0.32 / (0.25 + t) + patches * 9.0) - 0.5;
        let fine = (grain(x, y, 5) - 0.5) * 0.12;
        let detail = 0.82 + 0.3 * patches + blades * t.sqrt() * (tufts * 0.36 + fine) + fine * 0.4;
        let color = scale(mix(colors[0], colors[1], patches * 1.4 - 0.2), detail);
        let depth = (1.0 - t * 5.0).max(0.0).powi(2) * 0.7;
        let edge = (fy + 1.0 - horizon).clamp(0.0, 1.0);
        mix(old, light.afar(light.on(color, 0.12 - 0.25 * t), depth), edge)
    });
    name
}

fn road(scene: &mut Scene, middle: f32, half: f32) {
    let light = scene.light;
    scene.canvas.map(|x, y, old| {
        let (fx, fy) = (x as f32, y as f32);
        let wobble = (noise(fx * 0.12, fy * 0.3) - 0.5) * 2.5;
        let from_middle = (fy - middle).abs() + wobble;
        let cover = (half - from_middle).clamp(0.0, 1.0);
        let stones = 0.78 + 0.3 * rough(fx * 0.11, fy * 0.5, 4) + 0.22 * (grain(x, y, 3) - 0.5);
        let asphalt = light.on(scale(hex(0x55575b), stones), -0.05);
        let dash = (fx / half / 1.6).fract() < 0.55 && (fy - middle).abs() < half * 0.04;
        let color = if dash { mix(asphalt, light.on(hex(0xe9e4cf), 0.0), 0.8) } else { asphalt };
        mix(old, mix(color, light.on(hex(0x8d8168), 0.0), smooth(half * 0.9, half, from_middle) * 0.7), cover)
    });
}

fn water(scene: &mut Scene, horizon: f32, shift: f32) -> &'static str {
    let light = scene.light;
    let above = scene.canvas.clone();
    let (w, h) = (scene.canvas.width as f32, scene.canvas.height as f32);
    let deep = mix(scale(light.sky[0], 0.55), hex(0x17404a), 0.4);
    scene.canvas.map(|x, y, old| {
        let (fx, fy) = (x as f32, y as f32);
        if fy < horizon {
            return old;
        }
        let t = ((fy - horizon) / (h - horizon)).max(0.006);
        let (px, py) = ((fx - w / 2.0) / h / (t + 0.08) * 2.2, 5.0 / (t + 0.08));
        let wave = rough(px + shift, py * 2.2 + shift, 4) - 0.5;
        let from = horizon - (fy - horizon) * 0.9 + wave * h * 0.16 * (0.3 + t);
        let mirrored = above.get((fx + wave * 30.0 * (0.2 + t)) as isize, (from as isize).min(horizon as isize - 1));
        let mut color = mix(mirrored, light.on(deep, 0.1), 0.25 + 0.5 * t);
        color = scale(color, 0.93 + wave * 0.42);
        let glint = smooth(0.2, 0.3, wave) * smooth(0.42, 0.0, (fx / w - (0.5 + 0.36 * light.side)).abs());
        mix(color, light.color, glint * 0.55)
    });
    "on calm water"
}

/// What stands on the water is seen in it.
fn mirror(canvas: &mut Canvas, surface: f32, middle: f32, half: f32, shift: f32) {
    let above = canvas.clone();
    let h = canvas.height as f32;
    canvas.map(|x, y, old| {
        let (fx, fy) = (x as f32, y as f32);
        let below = fy - surface - 1.0;
        let side = smooth(half, half * 0.7, (fx - middle).abs());
        if below < 0.0 || side == 0.0 {
            return old;
        }
        let wave = rough(fx * 0.012 + shift, fy * 0.16, 3) - 0.5;
        let from = surface - 1.0 - below * 1.05 - wave * 8.0;
        let seen = above.get((fx + wave * (8.0 + below * 0.5)) as isize, from as isize);
        mix(old, scale(seen, 0.8), side * 0.5 * smooth(h * 0.42, 0.0, below))
    });
}

pub(super) fn table(class: usize, width: usize, height: usize, random: &mut Random) -> Picture {
    let light = Light::indoors(random);
    let mut scene = Scene { canvas: Canvas::new(width, height), light, things: Vec::new() };
    let (w, h) = (width as f32, height as f32);
    let edge = h * random.range(0.42, 0.55);
    let wall = random.pick(&[hex(0x8a9a94), hex(0xb9a58a), hex(0x5f7080), hex(0xa8a29a), hex(0x9a6f5c), hex(0x4a5650)]);
    let wood =
        random.pick(&[[hex(0xa9743f), hex(0x7d5029)], [hex(0xc49a66), hex(0x9d7444)], [hex(0x6b432a), hex(0x4a2d1c)]]);
    let (shift, window) = (random.range(0.0, 100.0), random.range(0.35, 0.65));
    scene.canvas.map(|x, y, _| {
        let (fx, fy) = (x as f32, y as f32);
        if fy < edge {
            let lit = 0.55 + 0.45 * smooth(1.1, 0.0, (fx / w - (0.5 + 0.5 * light.side)).abs());
            // Bars of a window fall on the wall, out of focus.
            let (u, v) = (fx / w * 1.6 + fy / h * 0.35, fy / edge);
            let pane = smooth(0.0, 0.1, (u * 3.0).fract() - 0.08) * smooth(1.0, 0.9, (u * 3.0).fract());
            let beam = pane
                * smooth(window - 0.5, window - 0.3, u)
                * smooth(window + 0.55, window + 0.35, u)
                * smooth(0.05, 0.2, v);
            let plaster = 0.95 + 0.08 * rough(fx * 0.02 + shift, fy * 0.02, 4);
            return light.on(mix(scale(wall, plaster * lit), hex(0xfff1d6), beam * 0.3), 0.3);
        }
        let t = (fy - edge) / (h - edge);
        let (px, py) = ((fx - w / 2.0) / w / (0.55 + 0.6 * t), 1.0 / (0.3 + t));
        let plank = (py * 2.1 + shift).floor();
        let rings = rough(px * 1.6 + plank * 7.7 + shift, py * 16.0 + plank * 3.1, 4);
        let stripe = noise(px * 4.0 + plank * 5.0, rings * 26.0 + py * 5.0);
        let joint = (py * 2.1 + shift).fract();
        let gap = smooth(0.0, 0.02, joint) * smooth(1.0, 0.98, joint);
        let color = scale(
            mix(wood[0], wood[1], stripe * 0.8 + rings * 0.5 - 0.15),
            (0.75 + 0.25 * gap) * (0.97 + 0.06 * grain(x, y, 8)),
        );
        let sheen = smooth(0.9, 0.0, (fx / w - (0.5 + 0.3 * light.side)).abs()) * (1.0 - t) * 0.35;
        mix(light.on(color, 0.1 + sheen - 0.15 * t), hex(0xfff6e4), sheen * 0.25)
    });
    scene.canvas.fade(&line([0.0, edge], [w, edge], 2.0, 2.0), 4.0, 0.5, scale(wood[1], 0.4));
    let mut places: Vec<(f32, f32, usize)> = (0..2 + random.below(4))
        .map(|i| {
            (random.range(0.12, 0.9), random.range(0.1, 0.5), if i % 2 == 0 { class } else { 7 + random.below(3) })
        })
        .collect();
    places.push((random.range(0.36, 0.62), random.range(0.62, 0.72), class));
    places.sort_by(|a, b| a.1.total_cmp(&b.1));
    for (x, near, kind) in places {
        let tall = if kind == 9 { 0.56 } else { 0.44 };
        let at = Place {
            x: x * w,
            foot: edge + (h - edge) * near * 1.15,
            size: h * tall * (0.55 + 0.62 * near),
            depth: 0.0,
        };
        scene.put(kind, at, random);
    }
    let count = scene.things.iter().filter(|t| t.class == class).count();
    let name = super::CLASSES[class];
    let caption =
        if count > 1 { format!("{count} {name}s on a wooden table") } else { format!("A {name} on a wooden table") };
    scene.picture(class, caption)
}

/// What lies between the scene and the film: weather, lens and grain.
pub(super) fn finish(picture: &mut Picture, random: &mut Random) {
    let (w, h) = (picture.canvas.width as f32, picture.canvas.height as f32);
    let light = picture.light;
    match light.weather {
        Weather::Rain => {
            for _ in 0..260 {
                let (x, y, long) =
                    (random.range(-0.1, 1.1) * w, random.range(-0.1, 1.0) * h, random.range(0.02, 0.07) * h);
                let drop = line([x, y], [x - long * 0.18, y + long], 0.6, 1.2);
                picture.canvas.fade(&drop, 1.1, 0.3, light.sky[1]);
            }
        }
        Weather::Snow => {
            for _ in 0..240 {
                let size = random.unit().powi(3) * 0.009 * h + 0.7;
                let flake = ellipse(random.unit() * w, random.unit() * h, size, size, 0.0);
                picture.canvas.fade(
                    &flake,
                    size * 0.6 + 0.3,
                    0.8,
                    scale([1.0; 3], if light.lamps() { 0.75 } else { 0.97 }),
                );
            }
        }
        Weather::Fog => {
            let shift = random.range(0.0, 50.0);
            picture.canvas.map(|x, y, old| {
                let veil = rough(x as f32 / h * 1.5 + shift, y as f32 / h * 4.0, 4);
                mix(old, light.sky[1], 0.15 + veil * 0.4)
            });
        }
        Weather::Clear | Weather::Cloudy => {}
    }
    let seed = random.word();
    let film = random.range(0.02, 0.045);
    picture.canvas.map(|x, y, old| {
        let (u, v) = (x as f32 / w - 0.5, y as f32 / h - 0.5);
        let corner = 1.0 - 0.5 * (u * u + v * v);
        let dust = (grain(x, y, seed) + grain(y, x, seed ^ 77) - 1.0) * film;
        old.map(|c| c * corner + dust)
    });
}
