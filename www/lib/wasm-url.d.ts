/** The address of the WebAssembly file, as bundlers give it that import such files as addresses. */
declare const url: string;
export default url;
