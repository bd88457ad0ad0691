/** Shows the print button; without JavaScript users print with the menu of the browser. */
export function offerPrint(): void {
  const button = document.getElementById('print')
  if (!button) return
  button.hidden = false
  button.addEventListener('click', () => print())
}
