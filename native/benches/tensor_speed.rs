//! Batches from a mapped warehouse beside memcpy of the same bytes, in the same run.
//!
//! `cargo run --release -p forebay-native --example tensor_speed [-- SAMPLES]`, of which a run has 256 otherwise.
//! Every line is the best of several rounds that take turns; what was made is compared.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, reason = "a program that measures")]

use std::{fs, hint::black_box, path::Path, time::Instant};

use forebay::warehouse::{
    Dtype, Manifest, ResizeMode, Shape, ShardWriter, Transform,
    version::{Recipe, key},
};
use forebay_native::loader::{Batch, Loader, Mode, Tensor};

const ROUNDS: usize = 9;
const BATCH: u64 = 64;

fn write(folder: &Path, dtype: Dtype, samples: u64) {
    let shape = Shape::new(384, 384, 16, dtype).with_f32_boxes();
    let transform = Transform::new(Some([384, 384]), ResizeMode::Letterbox, 16);
    let recipe =
        Recipe { dataset_root: "in".into(), transform: transform.clone(), skip_empty: false, code_version: "1".into() };
    let mut manifest = Manifest::new("in", transform, key(&recipe, &[]), dtype);
    let mut writer = ShardWriter::new(shape, samples).unwrap();
    let mut file = vec![0; 80];
    for i in 0..samples {
        let pixels: Vec<u8> = (0..shape.pixels().unwrap()).map(|k| (k * 31 + i * 7) as u8).collect();
        let image = writer.image_bytes(&pixels).unwrap();
        writer.add(&image, &[[0.0, 0.0, 0.5, 0.5]], None).unwrap();
        file.extend(image);
    }
    let done = writer.finish().unwrap();
    file.resize(done.tail_at as usize, 0);
    file.extend(&done.tail);
    file[..80].copy_from_slice(&done.header);
    manifest.shards.push(done.entry(0));
    fs::write(folder.join("shard_00000.bin"), file).unwrap();
    fs::write(folder.join("manifest.json"), manifest.to_bytes().unwrap()).unwrap();
}

fn timed<T>(best: &mut f64, work: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let made = work();
    *best = best.min(begun.elapsed().as_secs_f64());
    made
}

fn main() {
    let samples = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(256).max(BATCH);
    for dtype in [Dtype::F32, Dtype::F16, Dtype::U8] {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), dtype, samples);
        let loader = Loader::open(folder.path()).unwrap().mode(Mode::Mmap).prefetch(0).batch(BATCH).shuffle(42);
        let mut loader = loader.build().unwrap();
        let mut batch = |epoch| -> Batch { loader.epoch(epoch).unwrap().next().unwrap().unwrap() };
        // All pages are mapped, and both sides have memory that was touched.
        (0..4).for_each(|epoch| assert!(!black_box(batch(epoch).images()).is_empty()));
        let mut copy = vec![0.0f32; batch(0).images().len()];
        let (mut copied, mut viewed, mut plain) = (f64::MAX, f64::MAX, f64::MAX);
        for _ in 0..ROUNDS {
            let made = timed(&mut copied, || {
                let made = batch(0);
                black_box(made.images());
                made
            });
            drop(timed(&mut viewed, || {
                let views = batch(0);
                (0..views.len()).for_each(|k| _ = black_box(views.view(k)));
                views
            }));
            timed(&mut plain, || {
                // The bytes of the same samples where they are f32; elsewhere as many as the tensor has.
                let len = copy.len() / made.len();
                for (k, out) in copy.chunks_exact_mut(len).enumerate() {
                    if let Some(Tensor::F32(values)) = made.view(k) {
                        out.copy_from_slice(values);
                    }
                }
                black_box(&copy);
            });
            assert!(Some(&*copy) == made.images().f32(), "both made the same tensor");
        }
        println!(
            "{}: a batch of {BATCH} in {:.2} ms, memcpy of its {} bytes in {:.2} ms: {:.2} of its speed; views {:.1} us",
            dtype.name(),
            copied * 1e3,
            copy.len() * 4,
            plain * 1e3,
            plain / copied,
            viewed * 1e6
        );
    }
}
