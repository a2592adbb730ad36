//! Any text as the saved state of a run: it is refused, or a run goes on from it where every sample that comes is one
//! that there is.

use forebay::order::{Mix, Order, Settings, Shuffle, Source, State, Tail};

pub(crate) fn body(data: &[u8]) {
    let Ok(state) = serde_json::from_slice::<State>(data) else { return };
    let text = serde_json::to_string(&state).expect("a state has text");
    assert_eq!(serde_json::from_str::<State>(&text).expect("which reads"), state);
    let sources = state.sources.iter().map(|s| Source::new(&s.name, s.samples).identity(&s.identity));
    let mut settings = Settings::default()
        .with_seed(state.seed)
        .with_shuffle(state.shuffle)
        .with_batch(state.global_batch)
        .with_tail(state.tail);
    (settings.mix, settings.filter) = (state.mix.clone(), state.filter.clone());
    (settings.draws, settings.repeats) = (state.draws, state.repeats);
    let Ok(order) = Order::new(sources.collect(), settings) else { return };
    let Ok(at) = order.resume(&state) else { return };
    assert!(at.step <= order.steps());
    let epoch = order.epoch(at.epoch).expect("the epoch that it stands in");
    for step in at.step..order.steps().min(at.step + 2) {
        for position in epoch.positions(step, 0).take(64) {
            let item = epoch.item(position).expect("an item at every position of a step");
            assert!(item.sample < state.sources[item.source].samples, "{item:?}");
        }
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let sources = || vec![Source::new("a.tbl", 100).identity("x"), Source::new("b.tar", 7)];
    let mix = Mix { weights: vec![3, 1], epoch_samples: 50 };
    let settings = [
        Settings::default().with_seed(u64::MAX).with_batch(4),
        Settings::default().with_shuffle(Shuffle::Blocks { block: 8, window: 4 }).with_tail(Tail::Pad).with_batch(16),
        Settings::default().with_shuffle(Shuffle::None).with_tail(Tail::Uneven).with_filter("width > 3"),
        Settings::default().with_mix(mix).with_batch(3),
        Settings::default().with_draws(999).with_repeats(3).with_batch(6),
    ];
    let state = |settings| Order::new(sources(), settings).expect("settings that fit").state(2, 3);
    settings.map(|settings| serde_json::to_vec(&state(settings)).expect("text")).to_vec()
}
