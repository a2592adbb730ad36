/** A dataset to try the viewer with: pictures of a harbor, drawn here with the boxes of what is in them, as a WebDataset. */

import { TarFile } from "./tar.ts";

const NAME = "harbor.tar";
const PICTURES = 40;

type Label = "boat" | "buoy" | "gull" | "lighthouse";
/** A box as COCO has it: left, top, width, height. */
type Place = readonly [number, number, number, number];
type Drawn = { label: Label; bbox: number[] };
type Draw = (g: OffscreenCanvasRenderingContext2D, place: Place, hue: number) => void;

/** The same numbers at every visit. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const shape = (g: OffscreenCanvasRenderingContext2D, color: string, ...points: number[]): void => {
  g.fillStyle = color;
  g.beginPath();
  for (let k = 0; k < points.length; k += 2) g.lineTo(points[k]!, points[k + 1]!);
  g.fill();
};

const THINGS: Record<Label, Draw> = {
  boat(g, [x, y, w, h], hue) {
    shape(g, `hsl(${hue} 45% 88%)`, x + w * 0.52, y, x + w * 0.52, y + h * 0.7, x + w, y + h * 0.7);
    shape(g, `hsl(${hue} 70% 58%)`, x + w * 0.47, y + h * 0.12, x + w * 0.47, y + h * 0.7, x + w * 0.08, y + h * 0.7);
    shape(g, `hsl(${hue} 55% 30%)`, x, y + h * 0.76, x + w, y + h * 0.76, x + w * 0.84, y + h, x + w * 0.16, y + h);
  },
  buoy(g, [x, y, w, h]) {
    shape(g, "#d8402f", x + w * 0.35, y, x + w * 0.65, y, x + w * 0.85, y + h * 0.62, x + w * 0.15, y + h * 0.62);
    shape(
      g,
      "#f3efe6",
      x + w * 0.25,
      y + h * 0.3,
      x + w * 0.75,
      y + h * 0.3,
      x + w * 0.79,
      y + h * 0.45,
      x + w * 0.21,
      y + h * 0.45,
    );
    g.fillStyle = "#7d2a22";
    g.beginPath();
    g.ellipse(x + w / 2, y + h * 0.78, w / 2, h * 0.22, 0, 0, 7);
    g.fill();
  },
  gull(g, [x, y, w, h]) {
    g.strokeStyle = "#f7f9fb";
    g.lineWidth = Math.max(2, h / 5);
    g.beginPath();
    g.moveTo(x + 2, y + h * 0.5);
    g.quadraticCurveTo(x + w * 0.28, y - h * 0.25, x + w / 2, y + h * 0.85);
    g.quadraticCurveTo(x + w * 0.72, y - h * 0.25, x + w - 2, y + h * 0.5);
    g.stroke();
  },
  lighthouse(g, [x, y, w, h]) {
    shape(g, "#f0ece2", x + w * 0.25, y + h * 0.2, x + w * 0.75, y + h * 0.2, x + w, y + h, x, y + h);
    for (const at of [0.35, 0.65])
      shape(
        g,
        "#c23b32",
        x + w * (0.25 - at * 0.2),
        y + h * at,
        x + w * (0.75 + at * 0.2),
        y + h * at,
        x + w * (0.78 + at * 0.2),
        y + h * (at + 0.14),
        x + w * (0.22 - at * 0.2),
        y + h * (at + 0.14),
      );
    shape(
      g,
      "#f8d66b",
      x + w * 0.32,
      y + h * 0.08,
      x + w * 0.68,
      y + h * 0.08,
      x + w * 0.68,
      y + h * 0.2,
      x + w * 0.32,
      y + h * 0.2,
    );
    shape(g, "#40322f", x + w * 0.5, y, x + w * 0.74, y + h * 0.08, x + w * 0.26, y + h * 0.08);
  },
};

const HOURS = {
  dawn: ["#f6c8a5", "#8fb0c9", "#5d86a3"],
  day: ["#a9d7f2", "#dff1fb", "#3f7fa8"],
  dusk: ["#4a3f6b", "#e5876b", "#3b5070"],
  night: ["#0e1a33", "#23395c", "#13243d"],
} as const;

function draw(i: number): { canvas: OffscreenCanvas; record: object } {
  const random = numbers(i + 1);
  const between = (low: number, high: number): number => low + random() * (high - low);
  const [width, height] = (
    [
      [480, 360],
      [480, 360],
      [360, 480],
      [640, 400],
    ] as const
  )[Math.floor(random() * 4)]!;
  const hour = (Object.keys(HOURS) as (keyof typeof HOURS)[])[Math.floor(random() * 4)]!;
  const canvas = new OffscreenCanvas(width, height);
  const g = canvas.getContext("2d")!;
  const [top, low, water] = HOURS[hour];
  const horizon = Math.round(height * between(0.42, 0.56));
  const sky = g.createLinearGradient(0, 0, 0, horizon);
  sky.addColorStop(0, top);
  sky.addColorStop(1, low);
  g.fillStyle = sky;
  g.fillRect(0, 0, width, horizon);
  g.fillStyle = water;
  g.fillRect(0, horizon, width, height - horizon);
  g.fillStyle = "rgb(255 255 255 / 12%)";
  for (let k = 0; k < 70; k++)
    g.fillRect(random() * width, horizon + random() ** 2 * (height - horizon), between(8, 40), 1.5);

  const boxes: Drawn[] = [];
  const put = (label: Label, x: number, y: number, w: number, h: number): void => {
    const [left, upper] = [Math.max(0, x), Math.max(0, y)];
    const bbox = [left, upper, Math.min(width, x + w) - left, Math.min(height, y + h) - upper].map(Math.round);
    THINGS[label](g, [x, y, w, h], Math.floor(random() * 360));
    boxes.push({ label, bbox });
  };
  // An empty sea now and then: pictures without boxes are worth finding.
  if (random() > 0.08) {
    if (random() < 0.3)
      put("lighthouse", between(0.05, 0.8) * width, horizon - height * 0.34, width * 0.08, height * 0.36);
    for (let k = Math.floor(random() * 3); k > 0; k--)
      put("gull", between(0, 0.85) * width, between(0.04, 0.3) * height, width * between(0.06, 0.14), height * 0.05);
    for (let k = Math.floor(between(0.4, 3.4)); k > 0; k--) {
      const size = between(0.14, 0.42);
      put("boat", between(-0.06, 0.8) * width, horizon - height * size * 0.55, width * size, height * size);
    }
    for (let k = Math.floor(random() * 2.4); k > 0; k--)
      put("buoy", between(0.05, 0.88) * width, between(0.66, 0.84) * height, width * 0.07, height * 0.12);
  }
  const size = ({ bbox }: Drawn): number => bbox[2]! * bbox[3]!;
  const largest = [...boxes].sort((a, b) => size(b) - size(a))[0];
  const annotations = boxes.map(({ label, bbox: [x = 0, y = 0, w = 0, h = 0] }) => {
    return { class: label, xmin: x, ymin: y, xmax: x + w, ymax: y + h };
  });
  const labels = { annotations_format: "forebay.1", annotations_size: [width, height], annotations };
  return { canvas, record: { label: largest?.label ?? "empty", hour, ...labels } };
}

/** Draws it. */
export async function makeSample(): Promise<File> {
  const tar = new TarFile();
  // Browsers encode when they have nothing else to do: one after the other, each would wait for that.
  const pictures = await Promise.all(
    Array.from({ length: PICTURES }, async (_, i) => {
      const { canvas, record } = draw(i);
      return { record, blob: await canvas.convertToBlob({ type: "image/jpeg", quality: 0.86 }) };
    }),
  );
  pictures.forEach(({ record, blob }, i) => {
    const name = String(i).padStart(4, "0");
    tar.add(`${name}.jpg`, blob);
    tar.add(`${name}.json`, new Blob([JSON.stringify(record)]));
  });
  return new File([tar.blob()], NAME);
}
