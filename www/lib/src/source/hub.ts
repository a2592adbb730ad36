// Datasets on Hugging Face's Hub, by `hf://` or by the address of their page there.

const HUB = "https://huggingface.co/datasets/";
const BY_SCHEME = /^hf:\/\/datasets\/([\w.-]+\/[\w.-]+)(?:@(refs\/[\w.-]+\/[\w.-]+|[^/]+))?\/(.+)$/;
const BY_PAGE = /^https:\/\/huggingface\.co\/datasets\/([\w.-]+\/[\w.-]+)\/blob\//;

/** The address under which the Hub gives the bytes of a file; any other text as it is. */
export function ofHub(text: string): string {
  const [, dataset, revision, path] = BY_SCHEME.exec(text) ?? [];
  if (dataset === undefined || path === undefined) return text.replace(BY_PAGE, `${HUB}$1/resolve/`);
  const parts = decodeURI(path).split("/").map(encodeURIComponent).join("/");
  return `${HUB}${dataset}/resolve/${encodeURIComponent(decodeURIComponent(revision ?? "main"))}/${parts}`;
}
