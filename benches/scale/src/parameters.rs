//! What the store, the network and the hosts are like: `parameters.json`, each number with the reason for it.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The file that is used unless another is given.
pub const USUAL: &str = include_str!("../parameters.json");

#[derive(Debug, Deserialize)]
struct Entry {
    value: f64,
    #[allow(dead_code, reason = "for readers of the file; that it is there is checked")]
    why: String,
}

macro_rules! parameters {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// What everything but the readers is like.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Parameters {
            $($(#[$doc])* pub $name: f64,)*
        }

        impl Parameters {
            /// Reads a file of parameters, which names each of them once.
            pub fn parse(text: &str) -> Result<Parameters, String> {
                let mut entries: BTreeMap<String, Entry> = serde_json::from_str(text).map_err(|e| e.to_string())?;
                let mut take = |name: &str| {
                    let entry = entries.remove(name).ok_or_else(|| format!("{name} is missing"))?;
                    match entry.value.is_finite() && entry.value >= 0.0 {
                        true => Ok(entry.value),
                        false => Err(format!("{name} is {}, and at least 0 is needed", entry.value)),
                    }
                };
                let read = Parameters { $($name: take(stringify!($name))?,)* };
                match entries.keys().next() {
                    Some(name) => Err(format!("there is no parameter {name}")),
                    None => Ok(read),
                }
            }

            /// Sets one by its name, as in `first_byte_seconds=0.1`.
            pub fn set(&mut self, text: &str) -> Result<(), String> {
                let (name, value) = text.split_once('=').ok_or_else(|| format!("{text:?} is not NAME=NUMBER"))?;
                let number = value.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
                let number = number.ok_or_else(|| format!("{value:?} is not a number of at least 0"))?;
                match name {
                    $(stringify!($name) => self.$name = number,)*
                    _ => return Err(format!("there is no parameter {name}")),
                }
                Ok(())
            }
        }
    };
}

parameters! {
    /// Median time to the first byte.
    first_byte_seconds,
    /// Standard deviation of its logarithm.
    first_byte_sigma,
    /// Share of requests that are stragglers.
    tail_share,
    /// The least delay of these.
    tail_seconds,
    /// The Pareto shape of it.
    tail_shape,
    /// The longest delay.
    tail_most_seconds,
    /// What one connection carries.
    connection_bits_per_second,
    /// What a host's network carries.
    host_bits_per_second,
    /// Workers of a host.
    host_workers,
    /// Requests a second for each prefix.
    prefix_requests_per_second,
    /// What may come at once, as seconds of that rate.
    prefix_burst_seconds,
    /// How long a refusal takes.
    refused_seconds,
    /// Requests that fail.
    failing_share,
    /// Answers that break off.
    reset_share,
    /// Hosts with a slower network.
    slow_host_share,
    /// How many times slower.
    slow_host_factor,
    /// Deaths of a worker in an hour.
    deaths_per_worker_hour,
    /// From a death until the worker reads again.
    restart_seconds,
    /// What the disk of a host's cache carries.
    cache_read_bits_per_second,
    /// What 1,000 requests cost.
    cents_per_1000_requests,
    /// What a gigabyte costs to be read.
    cents_per_gb_out,
    /// What a gigabyte of cache costs in a month.
    cents_per_cache_gb_month,
}

impl Parameters {
    /// The parameters of `parameters.json`.
    pub fn usual() -> Result<Parameters, String> {
        Parameters::parse(USUAL)
    }

    /// A store that answers each request after the same time, over a link of this many bits a second, and never fails.
    pub fn plain(latency_seconds: f64, bits_per_second: f64) -> Result<Parameters, String> {
        let mut plain = Parameters::usual()?;
        plain.first_byte_seconds = latency_seconds;
        plain.host_bits_per_second = bits_per_second;
        plain.connection_bits_per_second = bits_per_second;
        plain.prefix_requests_per_second = 1e9;
        for zero in [
            &mut plain.first_byte_sigma,
            &mut plain.tail_share,
            &mut plain.failing_share,
            &mut plain.reset_share,
            &mut plain.slow_host_share,
        ] {
            *zero = 0.0;
        }
        Ok(plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_names_every_parameter_and_nothing_else() {
        let mut usual = Parameters::usual().unwrap();
        usual.set("host_workers=4").unwrap();
        assert_eq!(usual.host_workers, 4.0);
        assert!(usual.set("host_worker=4").unwrap_err().contains("no parameter"));
        assert!(usual.set("host_workers=-1").is_err());
        let more = USUAL.replacen('{', "{ \"x\": { \"value\": 1, \"why\": \"\" },", 1);
        assert_eq!(Parameters::parse(&more).unwrap_err(), "there is no parameter x");
        assert!(Parameters::parse("{}").unwrap_err().contains("missing"));
    }
}
