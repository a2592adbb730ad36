/**
 * `<ForebayViewer>` for React: properties are properties, events are `onOpen`, `onSelect` and so on.
 *
 * @module
 */
import { createComponent } from "@lit/react";
import { ForebayViewer as Element } from "@forebay/viewer";
import * as React from "react";
import type { ForebayViewerElement, ViewerEvents, ViewerMembers } from "./public/element.ts";

/** What can be set. */
type Settable = Omit<ViewerMembers, "opened" | "open" | "close">;

/** The properties of the component. */
export interface ForebayViewerProps
  extends Partial<Settable>,
    Omit<React.HTMLAttributes<ForebayViewerElement>, keyof Settable | `on${"Select" | "Error" | "Close"}`> {
  onOpen?: (event: ViewerEvents["open"]) => void;
  onClose?: (event: ViewerEvents["close"]) => void;
  onSelect?: (event: ViewerEvents["select"]) => void;
  onFilter?: (event: ViewerEvents["filter"]) => void;
  onEdit?: (event: ViewerEvents["edit"]) => void;
  onError?: (event: ViewerEvents["error"]) => void;
}

/** The element as a component; `ref` is the element itself, with its methods. */
export const ForebayViewer = createComponent({
  react: React,
  tagName: "forebay-viewer",
  elementClass: Element as unknown as new () => HTMLElement,
  displayName: "ForebayViewer",
  events: {
    onOpen: "open",
    onClose: "close",
    onSelect: "select",
    onFilter: "filter",
    onEdit: "edit",
    onError: "error",
  },
}) as unknown as React.ForwardRefExoticComponent<ForebayViewerProps & React.RefAttributes<ForebayViewerElement>>;

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      /** The element itself; its properties and events are those of the page's own elements. */
      "forebay-viewer": React.DetailedHTMLProps<React.HTMLAttributes<ForebayViewerElement>, ForebayViewerElement> &
        Partial<Omit<Settable, "picked" | "ownPage" | "dataProvider" | "messages">>;
    }
  }
}
