/* Runs before anything is drawn: without a choice of the operator the panel follows the system, also while it is open. */
(() => {
  const page = document.documentElement;
  if (page.dataset.theme) return;
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const follow = () => {
    if (dark.matches) page.dataset.theme = 'dark';
    else delete page.dataset.theme;
  };
  follow();
  dark.addEventListener('change', follow);
})();
