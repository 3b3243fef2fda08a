/** What tools that do not read Vue files know about them. */
declare module '*.vue' {
  import type { Component } from 'vue';
  const component: Component;
  export default component;
}
