/*
 * The page's looks before it is painted: runs by itself ahead of the style sheet, so that a dark page never flashes
 * light. The program takes over from here (app/appearance.ts).
 */
(function () {
  const root = document.documentElement;
  let theme = null;
  let density = null;
  try {
    theme = localStorage.getItem('armature.theme');
    density = localStorage.getItem('armature.density');
  } catch {
    // A browser may forbid the storage: then it is as the system says.
  }
  const isDark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.dataset.theme = isDark ? 'dark' : 'light';
  if (density === 'compact') root.dataset.density = density;
})();
