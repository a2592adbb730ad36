/**
 * `<ForebayViewer>` for Vue: properties are properties, events are `@open`, `@select` and so on, each with what it tells.
 *
 * @module
 */
import "@forebay/viewer";
import { defineComponent, h, ref, type DefineComponent, type PropType } from "vue";
import type {
  DataProvider,
  ErrorDetail,
  FilterDetail,
  ForebayViewerElement,
  OpenDetail,
  SelectDetail,
  ViewerMembers,
  ViewerMessages,
} from "./public/element.ts";

/** The element as a component. `element` of a template reference is the element itself, with its methods. */
export const ForebayViewer = defineComponent({
  name: "ForebayViewer",
  props: {
    src: { type: String as PropType<string | null>, default: null },
    filter: { type: String, default: "" },
    selected: { type: Number as PropType<number | null>, default: null },
    view: { type: String as PropType<ViewerMembers["view"]>, default: "gallery" },
    theme: { type: String as PropType<"light" | "dark" | null>, default: null },
    editable: Boolean,
    hide: { type: String, default: "" },
    dataProvider: { type: [Object, Function] as PropType<DataProvider | null>, default: null },
    messages: { type: Object as PropType<ViewerMessages | null>, default: null },
  },
  emits: {
    open: (_: OpenDetail) => true,
    close: (_: null) => true,
    select: (_: SelectDetail) => true,
    filter: (_: FilterDetail) => true,
    edit: (_: unknown) => true,
    error: (_: ErrorDetail) => true,
  },
  setup(props, { emit, expose, slots }) {
    const element = ref<ForebayViewerElement | null>(null);
    expose({ element });
    return () =>
      h(
        "forebay-viewer",
        {
          ref: element,
          // With a dot they are properties, whatever they are.
          ...Object.fromEntries(Object.entries(props).map(([name, value]) => [`.${name}`, value])),
          onOpen: (event: CustomEvent<OpenDetail>) => emit("open", event.detail),
          onClose: (event: CustomEvent<null>) => emit("close", event.detail),
          onSelect: (event: CustomEvent<SelectDetail>) => emit("select", event.detail),
          onFilter: (event: CustomEvent<FilterDetail>) => emit("filter", event.detail),
          onEdit: (event: CustomEvent<unknown>) => emit("edit", event.detail),
          onError: (event: CustomEvent<ErrorDetail>) => emit("error", event.detail),
        },
        slots.default?.(),
      );
  },
});

declare module "vue" {
  interface GlobalComponents {
    ForebayViewer: typeof ForebayViewer;
    /** The element itself, where the app says that it is one. */
    "forebay-viewer": DefineComponent<Partial<Omit<ViewerMembers, "picked" | "ownPage" | "opened" | "open" | "close">>>;
  }
}
