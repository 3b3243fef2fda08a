/** Sentences of the picture of all resources; see `app/messages/en.ts`. */
export const pictureMessages = {
  machine: 'All resources and their dependencies',
  zoom: 'Zoom',
  larger: 'Zoom in',
  smaller: 'Zoom out',
  fit: 'Show all',
} as const;
