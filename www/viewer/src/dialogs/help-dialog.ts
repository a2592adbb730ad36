/** The keyboard's map and the filter's language. */
import { LitElement, css, html, type TemplateResult } from "lit";
import { customElement, query } from "lit/decorators.js";
import { framed, showModal } from "../ui/modal.ts";
import { controls, factStyles } from "../ui/styles.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/dialogs.ts";

const keys = () =>
  [
    ["/", msg("writeFilter")],
    ["g  t  T  h", msg("galleryTableMap")],
    ["↑ ↓ ← →", msg("move")],
    [msg("pageHomeEnd"), msg("moveFar")],
    [msg("enter"), msg("openSample")],
    [msg("space"), msg("pickSample")],
    [msg("shiftArrowsShiftClick"), msg("pickRange")],
    [msg("ctrlA"), msg("pickAllFilterKeeps")],
    [msg("jK"), msg("previousNextSampleWhileOpen")],
    ["+ − 0", msg("zoomPicture")],
    ["b", msg("boxesOnOffOnTiles")],
    [msg("esc"), msg("closeSample")],
    ["o", msg("openFile")],
    ["i", msg("aboutFile2")],
    ["c", msg("checkFile")],
    ["e", msg("convertExport2")],
    ["l", msg("labelsFileLabelsFile")],
    ["u", msg("curateDuplicatesOutliers")],
    ["m", msg("compareWithVersion")],
    ["E", msg("editBeginEnd")],
    ["v", msg("whatBecameWarehousesFrames")],
    ["d", msg("darkLight")],
    ["?", msg("thisPage")],
  ] as const;
/** While a dataset is edited and a sample is open. */
const drawing = () =>
  [
    [msg("dragClick"), msg("drawBoxSelectInsideMoves")],
    ["n  p", msg("boxMiddleOutlineArrowsSpace")],
    ["h  y", msg("holeKeyPoints")],
    ["q  Q", msg("brushEraser")],
    ["[  ]", msg("boxBeforeNext")],
    ["↑ ↓ ← →", msg("movePixelCtrlTen")],
    [msg("shiftArrows"), msg("makeLargerSmaller")],
    [",  .", msg("pointsHandlesArrowsMoveThem")],
    ["1 … 9", msg("classWhatComes")],
    ["s", msg("searchClass")],
    ["f", msg("boxesPictureBefore")],
    [msg("deleteCtrl"), msg("deleteWhatSelectedSelectAll")],
    ["a  r  w", msg("acceptRejectNeither")],
    ["t", msg("rejectWithNote")],
    ["N  R  C", msg("nextUnlabeledRejectedClass")],
    ["z  x  v", msg("zoomFullLight")],
    ["F  P", msg("foldStripPanel")],
    [msg("ctrlZCtrlShiftZ"), msg("undoDoAgain")],
    [msg("altDragWheel"), msg("movePictureZoom")],
    [msg("esc"), msg("endWhatBeingDrawnSelect")],
  ] as const;
const language = () =>
  [
    ["width >= 224 && height >= 224", msg("comparisons")],
    ['format == "jpeg" || format == "png"', msg("andIsOrIsNot")],
    ['name ~ "cats/*.jpg"', msg("patternsWithAnd")],
    ["cls in [1, 3, 5]", msg("oneOfAList")],
    ['json.label == "boat"', msg("anyFieldMetadataPath")],
    ['any(box, box.label == "boat" && box.width > 400)', msg("anySuchBox")],
    ["count(box) > 5", msg("countOfBoxes")],
  ] as const;

/** `<forebay-help>`. */
@customElement("forebay-help")
export class HelpDialog extends LitElement {
  static override styles = [
    controls,
    factStyles,
    css`
      dl { gap: 6px 18px; margin: 8px 0 18px; font-size: 13.5px; }
      dt { color: inherit; }
      kbd {
        padding: 1px 7px; border: 1px solid var(--line); border-radius: 5px; background: var(--soft);
        font-family: var(--mono); font-size: 12px;
      }
      @media (max-width: 560px) {
        dl { grid-template-columns: 1fr; }
      }
    `,
  ];
  @query("dialog") private dialog!: HTMLDialogElement;
  show(): void {
    showModal(this.dialog);
  }
  override render(): TemplateResult {
    const all = html`
          <h3>${msg("keys")}</h3><dl>${keys().map(([key, text]) => html`<dt><kbd>${key}</kbd></dt><dd>${text}</dd>`)}</dl>
          <h3>${msg("whileEditing")}</h3><dl>${drawing().map(([key, text]) => html`<dt><kbd>${key}</kbd></dt><dd>${text}</dd>`)}</dl>
          <h3>${msg("filters")}</h3><dl>${language().map(([text, means]) => html`<dt><code>${text}</code></dt><dd>${means}</dd>`)}</dl>`;
    return framed(common("keysFilters"), () => this.dialog.close(), all, { label: msg("help") });
  }
}
