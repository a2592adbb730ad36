/**
 * Where pictures stand on a map, so that those that look alike stand near each other: their main directions first (PCA), then
 * each is drawn to its nearest ones and pushed away from others, as UMAP does.
 *
 * Nothing but adding, multiplying, dividing and square roots is done, and chance comes from whole numbers: the same pixels give
 * the same map in every engine. Each function stops now and then, so that the page can draw meanwhile.
 */

/** Work that stops between its pieces; what it yields is how much of it is done, from 0 to 1. */
export type Work<T> = Generator<number, T>;

/** Directions that are kept of the pictures. */
const DIRECTIONS = 16;
/** Neighbors that each picture is drawn to. */
const NEIGHBORS = 12;
/** Others that each pair is pushed away from. */
const PUSHES = 5;
/** Rounds for few pictures and for many, and how many are few. */
const ROUNDS = { few: 400, many: 200, until: 3000 } as const;
/** Rounds that find the main directions. */
const TURNS = 24;
/** Numbers that are worked on between two stops. */
const PIECE = 400_000;

/** Numbers that seem to come by chance, the same each time. */
function dice(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** The features of each picture along the directions in which they differ most, the strongest first: `count` rows of `kept` numbers. */
export function* mainDirections(features: Float32Array, count: number): Work<{ rows: Float32Array; kept: number }> {
  const wide = count === 0 ? 0 : features.length / count;
  const kept = Math.min(DIRECTIONS, wide);
  const mean = new Float64Array(wide);
  for (let at = 0; at < features.length; at += wide)
    for (let k = 0; k < wide; k++) mean[k]! += features[at + k]! / count;
  const spread = new Float64Array(wide * wide);
  const row = new Float64Array(wide);
  const step = Math.max(1, Math.floor(PIECE / (wide * wide || 1)));
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < wide; k++) row[k] = features[i * wide + k]! - mean[k]!;
    for (let a = 0; a < wide; a++) {
      const value = row[a]!;
      for (let b = 0; b <= a; b++) spread[a * wide + b]! += value * row[b]!;
    }
    if (i % step === 0) yield (0.8 * i) / count;
  }
  for (let a = 0; a < wide; a++) for (let b = 0; b < a; b++) spread[b * wide + a] = spread[a * wide + b]!;
  const axes = yield* axesOf(spread, wide, kept);
  const rows = new Float32Array(count * kept);
  for (let i = 0; i < count; i++) {
    for (let d = 0; d < kept; d++) {
      let sum = 0;
      for (let k = 0; k < wide; k++) sum += (features[i * wide + k]! - mean[k]!) * axes[d * wide + k]!;
      rows[i * kept + d] = sum;
    }
    if (i % (step * 8) === 0) yield 0.9 + (0.1 * i) / count;
  }
  return { rows, kept };
}

/** The strongest axes of a spread, found by turning vectors through it until they rest. */
function* axesOf(spread: Float64Array, wide: number, kept: number): Work<Float64Array> {
  const next = dice(0x5eed);
  let axes = Float64Array.from({ length: kept * wide }, () => next() - 0.5);
  for (let turn = 0; turn < TURNS; turn++) {
    const turned = new Float64Array(kept * wide);
    for (let d = 0; d < kept; d++)
      for (let a = 0; a < wide; a++) {
        let sum = 0;
        for (let b = 0; b < wide; b++) sum += spread[a * wide + b]! * axes[d * wide + b]!;
        turned[d * wide + a] = sum;
      }
    straighten(turned, wide, kept);
    axes = turned;
    yield 0.8 + (0.1 * turn) / TURNS;
  }
  // Which of its two ways an axis points is chance: its largest number is above zero.
  for (let d = 0; d < kept; d++) {
    let largest = 0;
    for (let k = 0; k < wide; k++) if (Math.abs(axes[d * wide + k]!) > Math.abs(axes[d * wide + largest]!)) largest = k;
    if (axes[d * wide + largest]! < 0) for (let k = 0; k < wide; k++) axes[d * wide + k]! *= -1;
  }
  return axes;
}

/** Makes vectors stand at right angles, each of length one; one that is nothing beside the others stays nothing. */
function straighten(axes: Float64Array, wide: number, kept: number): void {
  for (let d = 0; d < kept; d++) {
    for (let e = 0; e < d; e++) {
      let along = 0;
      for (let k = 0; k < wide; k++) along += axes[d * wide + k]! * axes[e * wide + k]!;
      for (let k = 0; k < wide; k++) axes[d * wide + k]! -= along * axes[e * wide + k]!;
    }
    let square = 0;
    for (let k = 0; k < wide; k++) square += axes[d * wide + k]! ** 2;
    const long = Math.sqrt(square);
    for (let k = 0; k < wide; k++) axes[d * wide + k] = long > 1e-9 ? axes[d * wide + k]! / long : 0;
  }
}

/** The nearest others of each row, the nearest first: `near` of each, one row after the other. */
export function* neighbors(rows: Float32Array, kept: number, count: number): Work<{ near: number; of: Uint32Array }> {
  const near = Math.max(0, Math.min(NEIGHBORS, count - 1));
  const of = new Uint32Array(count * near);
  if (near === 0) return { near, of };
  // Along the first direction: who lies further off than the last of the nearest in that alone is none of them.
  const order = Uint32Array.from({ length: count }, (_, i) => i).sort(
    (a, b) => rows[a * kept]! - rows[b * kept]! || a - b,
  );
  const sorted = new Float32Array(rows.length);
  for (let p = 0; p < count; p++) for (let d = 0; d < kept; d++) sorted[p * kept + d] = rows[order[p]! * kept + d]!;
  const [squares, who] = [new Float64Array(near), new Uint32Array(near)];
  let worked = 0;
  for (let p = 0; p < count; p++) {
    let held = 0;
    const look = (q: number): void => {
      let square = 0;
      const last = held === near ? squares[near - 1]! : Infinity;
      for (let d = 0; d < kept && square < last; d++) {
        const apart = sorted[p * kept + d]! - sorted[q * kept + d]!;
        square += apart * apart;
      }
      if (held === near && square >= last) return;
      let at = held < near ? held++ : near - 1;
      for (; at > 0 && squares[at - 1]! > square; at--) {
        squares[at] = squares[at - 1]!;
        who[at] = who[at - 1]!;
      }
      [squares[at], who[at]] = [square, q];
    };
    const beyond = (q: number): boolean => {
      const apart = sorted[p * kept]! - sorted[q * kept]!;
      return held === near && apart * apart >= squares[near - 1]!;
    };
    let [below, above] = [p - 1, p + 1];
    while (below >= 0 || above < count) {
      if (below >= 0) {
        if (beyond(below)) below = -1;
        else look(below--);
      }
      if (above < count) {
        if (beyond(above)) above = count;
        else look(above++);
      }
      worked += kept;
    }
    const i = order[p]!;
    for (let k = 0; k < near; k++) of[i * near + k] = order[who[k]!]!;
    if (worked < PIECE) continue;
    worked = 0;
    yield p / count;
  }
  return { near, of };
}

/** Two numbers of each picture, from 0 to 1, with the same scale in both directions. */
export function* layOut(features: Float32Array, count: number): Work<Float32Array> {
  const { rows, kept } = yield* shareOf(mainDirections(features, count), 0, 0.2);
  const { near, of } = yield* shareOf(neighbors(rows, kept, count), 0.2, 0.55);
  const at = begun(rows, kept, count);
  if (count > 3 && near > 0) yield* shareOf(settle(at, of, near, count), 0.55, 0.9);
  const places = fitted(evened(fitted(at), count));
  yield* shareOf(makeRoom(places, count), 0.9, 1);
  return fitted(places);
}

/** A part of the work, as it counts in the whole. */
function* shareOf<T>(work: Work<T>, from: number, to: number): Work<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    yield from + (to - from) * value;
  }
}

/** The first two directions, ten wide: where the pictures begin. */
function begun(rows: Float32Array, kept: number, count: number): Float32Array {
  const at = new Float32Array(count * 2);
  let most = 0;
  for (let i = 0; i < count; i++)
    for (let d = 0; d < Math.min(2, kept); d++) most = Math.max(most, Math.abs(rows[i * kept + d]!));
  const next = dice(0xf0e);
  for (let i = 0; i < count * 2; i++) {
    const value = i % 2 < kept ? rows[Math.floor(i / 2) * kept + (i % 2)]! : 0;
    // Those that are the same begin a little apart.
    at[i] = (most > 0 ? (10 * value) / most : 0) + (next() - 0.5) * 0.01;
  }
  return at;
}

const within = (n: number): number => (n > 4 ? 4 : n < -4 ? -4 : n);

/** Draws neighbors together and pushes others apart, less in every round. */
function* settle(at: Float32Array, of: Uint32Array, near: number, count: number): Work<void> {
  const next = dice(0xa1b2);
  const rounds = count <= ROUNDS.until ? ROUNDS.few : ROUNDS.many;
  let worked = 0;
  for (let round = 0; round < rounds; round++) {
    const much = 1 - round / rounds;
    for (let i = 0; i < count; i++) {
      for (let k = 0; k < near; k++) {
        // The nearest in every round, the last seldom.
        if (next() * near < k) continue;
        const j = of[i * near + k]!;
        let [x, y] = [at[2 * i]! - at[2 * j]!, at[2 * i + 1]! - at[2 * j + 1]!];
        const pull = -2 / (1 + x * x + y * y);
        [x, y] = [within(pull * x) * much, within(pull * y) * much];
        at[2 * i]! += x;
        at[2 * i + 1]! += y;
        at[2 * j]! -= x;
        at[2 * j + 1]! -= y;
        for (let push = 0; push < PUSHES; push++) {
          const o = Math.floor(next() * count);
          if (o === i) continue;
          const [dx, dy] = [at[2 * i]! - at[2 * o]!, at[2 * i + 1]! - at[2 * o + 1]!];
          const square = dx * dx + dy * dy;
          const away = 2 / ((0.001 + square) * (1 + square));
          at[2 * i]! += within(away * dx) * much;
          at[2 * i + 1]! += within(away * dy) * much;
        }
      }
      worked += near * PUSHES * 4;
      if (worked < PIECE) continue;
      worked = 0;
      yield (round + i / count) / rounds;
    }
  }
}

/** How much of where a picture stands is said by how many stand before it: what is empty between groups becomes narrower. */
const EVEN = 0.6;

/** Stretches what is crowded and shrinks what is empty, across and down, without a change of order. */
function evened(at: Float32Array, count: number): Float32Array {
  const even = new Float32Array(at.length);
  for (const d of [0, 1]) {
    const order = Uint32Array.from({ length: count }, (_, i) => i).sort(
      (a, b) => at[2 * a + d]! - at[2 * b + d]! || a - b,
    );
    for (let p = 0; p < count; p++) {
      const i = 2 * order[p]! + d;
      even[i] = (1 - EVEN) * at[i]! + (EVEN * p) / Math.max(1, count - 1);
    }
  }
  return even;
}

/** Rounds in which those that lie over each other make room, and how much of an even share of the map each wants. */
const MAKING_ROOM = 24;
const ROOM = 0.72;

/** Pushes pictures apart that lie over each other. */
function* makeRoom(at: Float32Array, count: number): Work<void> {
  const room = ROOM / Math.sqrt(Math.max(1, count));
  for (let round = 0; round < MAKING_ROOM; round++) {
    // Only those of the same square and of the ones around it may be too near.
    const squares = new Map<number, number[]>();
    const squareOf = (i: number, x: number, y: number): number =>
      (Math.floor(at[2 * i]! / room) + x) * 65_536 + Math.floor(at[2 * i + 1]! / room) + y;
    for (let i = 0; i < count; i++) {
      const square = squareOf(i, 0, 0);
      const there = squares.get(square);
      if (there) there.push(i);
      else squares.set(square, [i]);
    }
    yield round / MAKING_ROOM;
    for (let i = 0; i < count; i++)
      for (let x = -1; x <= 1; x++)
        for (let y = -1; y <= 1; y++)
          for (const j of squares.get(squareOf(i, x, y)) ?? []) if (j > i) part(at, i, j, room);
  }
}

/** Moves two apart, each by half of what is missing. */
function part(at: Float32Array, i: number, j: number, room: number): void {
  let [x, y] = [at[2 * i]! - at[2 * j]!, at[2 * i + 1]! - at[2 * j + 1]!];
  let apart = Math.sqrt(x * x + y * y);
  if (apart >= room) return;
  if (apart === 0) [x, y, apart] = [i % 2 ? 1 : -1, i % 3 ? 1 : -1, 1.5];
  const push = (0.5 * (room - Math.min(apart, room))) / apart || (0.25 * room) / apart;
  at[2 * i]! += x * push;
  at[2 * i + 1]! += y * push;
  at[2 * j]! -= x * push;
  at[2 * j + 1]! -= y * push;
}

/** Moves everything into a square of one, in the middle of it. */
function fitted(at: Float32Array): Float32Array {
  const low = [Infinity, Infinity];
  const high = [-Infinity, -Infinity];
  for (let i = 0; i < at.length; i++) {
    low[i % 2] = Math.min(low[i % 2]!, at[i]!);
    high[i % 2] = Math.max(high[i % 2]!, at[i]!);
  }
  const wide = Math.max(high[0]! - low[0]!, high[1]! - low[1]!) || 1;
  return at.map((value, i) => 0.5 + (value - (low[i % 2]! + high[i % 2]!) / 2) / wide);
}
