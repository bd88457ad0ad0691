/** A page that is to be kept on paper has a button for it; without script the browser's own menu does. */
export function offerPrint(): void {
  const button = document.getElementById('print')
  if (!button) return
  button.hidden = false
  button.addEventListener('click', () => print())
}
