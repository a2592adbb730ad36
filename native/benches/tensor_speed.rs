//! Batches from a mapped warehouse beside memcpy of the same bytes, in the same run.
//!
//! `cargo run --profile dist -p forebay-native --example tensor_speed [-- SAMPLES]`, of which a run has 256 otherwise.
//! Every line is the best of several rounds that take turns; what was made is compared.
//!
//! `... --example tensor_speed -- epoch PICTURES [SIDE]`: whole epochs of pictures that are decoded (a folder, TAR or TBL) and
//! of the warehouses that are built of them, beside the same transform and beside memcpy.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, reason = "a program that measures")]

use std::{fs, hint::black_box, path::Path, time::Instant};

use forebay::order::Tail;

use forebay::warehouse::{
    Dtype, Manifest, ResizeMode, Shape, ShardWriter, Transform,
    version::{Recipe, key},
};
use forebay_native::{
    loader::{Annotations, Batch, Builder, Loader, Mode, OnBroken, Tensor},
    warehouse::{Settings, build},
};

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

/// Seconds of an epoch, its samples, and its tensors' bytes.
fn epoch(builder: Builder, number: u64) -> (f64, u64, u64) {
    let mut loader = builder.batch(BATCH).tail(Tail::Uneven).shuffle(42).build().unwrap();
    let begun = Instant::now();
    let (mut samples, mut bytes) = (0, 0);
    for batch in loader.epoch(number).unwrap() {
        let batch = batch.unwrap();
        samples += batch.len() as u64;
        bytes += black_box(batch.images()).bytes().len() as u64;
    }
    (begun.elapsed().as_secs_f64(), samples, bytes)
}

fn epochs(pictures: &Path, side: u32) {
    let transform = Transform::new(Some([side, side]), ResizeMode::Letterbox, 16);
    for dtype in [Dtype::F32, Dtype::F16, Dtype::U8] {
        let out = tempfile::tempdir().unwrap();
        let mut settings = Settings::default().with_size(side, side).with_dtype(dtype);
        (settings.sync, settings.allow_violations) = (false, true);
        settings.label_options.boxes = Some("none".parse().unwrap());
        let own = Annotations::own().options(settings.label_options.clone());
        let built = build(&[pictures.to_owned()], out.path(), &settings).unwrap();
        let live = || {
            let open = Loader::open(pictures).unwrap().warehouse_transform(transform.clone());
            let open = open.annotations(own.clone());
            open.on_broken(OnBroken::Skip)
        };
        let (mut decoded, mut mapped, mut read, mut plain) = (f64::MAX, f64::MAX, f64::MAX, f64::MAX);
        let mut samples = 0;
        for round in 0..3 {
            let (seconds, made, bytes) = epoch(live(), round);
            (decoded, samples) = (decoded.min(seconds), made);
            for (mode, best) in [(Mode::Mmap, &mut mapped), (Mode::Stream, &mut read)] {
                let (seconds, n, len) = epoch(Loader::open(&built.manifest).unwrap().mode(mode), round);
                assert_eq!((n, len), (samples, bytes), "both made the same tensors");
                *best = best.min(seconds);
            }
            let batch = (bytes / samples * BATCH) as usize;
            let (from, mut to) = (vec![1u8; batch], vec![0u8; batch]);
            timed(&mut plain, || {
                for _ in 0..bytes / batch as u64 {
                    black_box(&mut to).copy_from_slice(black_box(&from));
                }
            });
        }
        let rate = |seconds: f64| samples as f64 / seconds;
        println!(
            "{}: {samples} samples of {side} x {side}: decoded {:.0} a second, mapped {:.0} ({:.1} times), read {:.0} ({:.1} \
             times); {:.2} and {:.2} of memcpy's speed",
            dtype.name(),
            rate(decoded),
            rate(mapped),
            decoded / mapped,
            rate(read),
            decoded / read,
            plain / mapped,
            plain / read
        );
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    if args.next().is_some_and(|word| word == "epoch") {
        let pictures = args.next().expect("a folder, TAR or TBL of images");
        let side = args.next().map_or(224, |text| text.parse().expect("a number"));
        return epochs(Path::new(&pictures), side);
    }
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
