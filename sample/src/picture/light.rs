//! What the hour and the weather do to colors.

use super::{
    canvas::{Rgb, hex, mix, scale, tint},
    random::Random,
};

/// The hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Hour {
    Day,
    Morning,
    Dusk,
    Night,
}

impl Hour {
    /// The word in labels.
    pub const fn name(self) -> &'static str {
        match self {
            Hour::Day => "day",
            Hour::Morning => "morning",
            Hour::Dusk => "dusk",
            Hour::Night => "night",
        }
    }
}

/// The weather.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Weather {
    Clear,
    Cloudy,
    Fog,
    Rain,
    Snow,
}

impl Weather {
    /// The word in labels.
    pub const fn name(self) -> &'static str {
        match self {
            Weather::Clear => "clear",
            Weather::Cloudy => "cloudy",
            Weather::Fog => "fog",
            Weather::Rain => "rain",
            Weather::Snow => "snow",
        }
    }
}

/// Hour and weather, and where the light comes from.
#[derive(Clone, Copy, Debug)]
pub struct Light {
    /// The hour.
    pub hour: Hour,
    /// The weather.
    pub weather: Weather,
    /// The sky above and at the horizon.
    pub sky: [Rgb; 2],
    /// The color of light; multiplies.
    pub color: Rgb,
    /// -1: from the left, 1: from the right.
    pub side: f32,
}

impl Light {
    /// One for a landscape.
    pub fn outdoors(random: &mut Random) -> Self {
        let hour = random.pick(&[Hour::Day, Hour::Day, Hour::Day, Hour::Morning, Hour::Dusk, Hour::Dusk, Hour::Night]);
        let weather = random.pick(&[
            Weather::Clear,
            Weather::Clear,
            Weather::Clear,
            Weather::Cloudy,
            Weather::Cloudy,
            Weather::Fog,
            Weather::Rain,
            Weather::Snow,
        ]);
        let (sky, color) = match hour {
            Hour::Day => (random.pick(&[[0x2f6fc4, 0xb9d8f0], [0x3d86d8, 0xd3e8f5], [0x1f5aa8, 0x9cc7e8]]), 0xfffaf0),
            Hour::Morning => (random.pick(&[[0x6a9bd0, 0xf7ddc0], [0x86aede, 0xfbe6d4]]), 0xfff0dc),
            Hour::Dusk => (random.pick(&[[0x3b4a86, 0xf4a062], [0x574580, 0xf28b6a], [0x2b3a6e, 0xf6b87c]]), 0xf4c7a0),
            Hour::Night => (random.pick(&[[0x0c1736, 0x3a5082], [0x101c40, 0x33487a]]), 0x8d9bc6),
        };
        let gray = hex(if hour == Hour::Night { 0x1c2333 } else { 0xa9b2bb });
        let veil = match weather {
            Weather::Clear => 0.0,
            Weather::Cloudy => 0.25,
            Weather::Rain => 0.75,
            Weather::Snow | Weather::Fog => 0.65,
        };
        let sky = sky.map(|c| mix(hex(c), gray, veil));
        let color = mix(hex(color), scale(gray, 1.15), veil * 0.5);
        Light { hour, weather, sky, color, side: random.pick(&[-1.0, -0.6, 0.6, 1.0]) }
    }

    /// One for a table by a window.
    pub fn indoors(random: &mut Random) -> Self {
        let sky = [hex(0x99a4ad), hex(0xe8e2d6)];
        let color = random.pick(&[0xfff6e6, 0xffeacb, 0xf2f4ff]);
        Light { hour: Hour::Day, weather: Weather::Clear, sky, color: hex(color), side: random.pick(&[-1.0, 1.0]) }
    }

    /// A surface of this color, turned towards the light from -1 to 1.
    pub fn on(&self, color: Rgb, facing: f32) -> Rgb {
        tint(scale(color, 0.72 + 0.34 * facing), self.color)
    }

    /// The same seen from afar: 0 near, 1 at the horizon.
    pub fn afar(&self, color: Rgb, depth: f32) -> Rgb {
        let reach = match self.weather {
            Weather::Fog => 0.95,
            Weather::Rain | Weather::Snow => 0.8,
            _ => 0.62,
        };
        mix(color, self.sky[1], depth * reach)
    }

    /// True where lamps burn.
    pub fn lamps(&self) -> bool {
        matches!(self.hour, Hour::Night | Hour::Dusk)
    }
}
