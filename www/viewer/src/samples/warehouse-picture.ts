/** The pictures of a warehouse: tensors, drawn; what a letterbox put around them is drawn as that, not as black. */
import type { Warehouse } from "../../../lib/src/model/index.ts";

/** Pixels between two lines of the pattern. */
const APART = 8;

/** The picture of a sample with its bars shown as such. */
export async function drawWarehouse(dataset: Warehouse, i: number, signal: AbortSignal): Promise<ImageBitmap> {
  const { data, width, height, content } = await dataset.picture(i, { signal });
  signal.throwIfAborted();
  const canvas = new OffscreenCanvas(width, height);
  const g = canvas.getContext("2d")!;
  g.putImageData(new ImageData(data, width, height), 0, 0);
  const { x, y, width: w, height: h } = content;
  if (w > 0 && h > 0 && w * h < width * height) {
    g.save();
    g.beginPath();
    g.rect(0, 0, width, height);
    g.rect(x, y, w, h);
    g.clip("evenodd");
    g.fillStyle = "#8a949e";
    g.fillRect(0, 0, width, height);
    g.strokeStyle = "#747e88";
    g.lineWidth = APART / 3;
    g.beginPath();
    for (let k = -height; k < width; k += APART) {
      g.moveTo(k, height);
      g.lineTo(k + height, 0);
    }
    g.stroke();
    g.restore();
  }
  return canvas.transferToImageBitmap();
}
