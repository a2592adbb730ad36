/** In the place of the element where there are no elements: on a server that draws pages. */
export const ForebayViewer = class {};
