/** Draws what the metadata says is in a picture: over the stage, as large as that, however large the picture is. */
import type { Box } from "./boxes.ts";
import { colorOf, inkOn, rgbOf } from "./colors.ts";
import { drawMask, type Mask } from "./masks.ts";
import { visible } from "../ui/visible.ts";

/** More names than these hide the picture. */
const NAMED = 200;

/** Where the picture stands: its corner and its scale, in pixels of the stage. */
export interface Placed {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
  readonly width: number;
  readonly height: number;
}

/** All boxes are one canvas, however many: a page with a thousand elements over a picture stalls. */
export class StageBoxes {
  private readonly masks = new WeakMap<Mask, { readonly label: string; readonly drawn: HTMLCanvasElement }>();

  draw(
    canvas: HTMLCanvasElement,
    boxes: readonly Box[],
    hidden: ReadonlySet<string>,
    marked: Box | null,
    { x: left, y: top, scale, width, height }: Placed,
  ): void {
    const sharp = devicePixelRatio;
    const [wide, tall] = [Math.round(canvas.clientWidth * sharp), Math.round(canvas.clientHeight * sharp)];
    if (canvas.width !== wide || canvas.height !== tall) [canvas.width, canvas.height] = [wide, tall];
    const g = canvas.getContext("2d");
    if (!g) return;
    g.setTransform(sharp, 0, 0, sharp, 0, 0);
    g.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    g.font = "600 12px system-ui, sans-serif";
    g.textBaseline = "top";
    g.lineWidth = 2;
    const [right, bottom] = [left + width * scale, top + height * scale];
    const colors = new Map<string, string>();
    for (const box of boxes) {
      if (hidden.has(box.label)) continue;
      let color = colors.get(box.label);
      if (!color) colors.set(box.label, (color = colorOf(box.label)));
      g.lineWidth = box === marked ? 5 : 2;
      const [x, y, w, h] = [left + box.x * scale, top + box.y * scale, box.w * scale, box.h * scale];
      if (x > canvas.clientWidth || y > canvas.clientHeight || x + w < 0 || y + h < 0) continue;
      g.strokeStyle = color;
      if (box.mask) g.drawImage(this.maskOf(box.mask, box.label), left, top, width * scale, height * scale);
      for (const outline of box.outlines) {
        g.beginPath();
        for (let k = 0; k + 1 < outline.length; k += 2)
          g.lineTo(left + outline[k]! * scale, top + outline[k + 1]! * scale);
        g.closePath();
        g.globalAlpha = 0.3;
        g.fillStyle = color;
        g.fill();
        g.globalAlpha = 1;
        g.stroke();
      }
      g.strokeRect(x, y, w, h);
      if (!box.label || boxes.length > NAMED || x >= right || y >= bottom || x + w <= left || y + h <= top) continue;
      const label = visible(box.label);
      const [broad, high] = [g.measureText(label).width + 7, 17];
      // Of a box that reaches over the edge the name stands inside.
      const at = Math.max(left, Math.min(x - 1, right - broad));
      const up = Math.max(top, Math.min(y - top >= high ? y - high : y, bottom - high));
      g.fillStyle = color;
      g.fillRect(at, up, broad, high);
      g.fillStyle = inkOn(box.label);
      g.fillText(label, at + 3, up + 2.5);
    }
  }

  /** A mask is drawn once and then only scaled. */
  private maskOf(mask: Mask, label: string): HTMLCanvasElement {
    const known = this.masks.get(mask);
    // It may have been given another class, and then has its color.
    if (known?.label === label) return known.drawn;
    const image = drawMask(mask, [...rgbOf(label), 115]);
    const drawn = document.createElement("canvas");
    [drawn.width, drawn.height] = [image.width, image.height];
    drawn.getContext("2d")?.putImageData(image, 0, 0);
    this.masks.set(mask, { label, drawn });
    return drawn;
  }
}
