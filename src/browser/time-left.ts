/** How long the device should have been looked at before it is asked again, seconds; the server holds to it too. */
const sendAgainAfter = 15

/** Counts the words and the ring down, and lets "Send again" wait for its time. */
export function showTimeLeft(): void {
  const words = document.getElementById('time')
  if (!words) return
  const loaded = performance.now()
  const left = Number(words.dataset['left'])
  const age = Number(words.dataset['age'])
  const total = left + age
  const ring = document.getElementById('ring')
  const template = words.dataset['words'] ?? '{time}'
  const send = document.getElementById('send') as HTMLButtonElement | null
  const format = new Intl.NumberFormat(document.documentElement.lang || 'en', {
    style: 'unit',
    unit: 'second',
    unitDisplay: 'long',
  })

  function update(): void {
    const passed = (performance.now() - loaded) / 1000
    const now = Math.max(0, Math.ceil(left - passed))
    if (words) words.textContent = template.replace('{time}', format.format(now))
    ring?.style.setProperty('stroke-dashoffset', String(1 - now / total))
    if (send) send.disabled = age + passed < sendAgainAfter
    if (now === 0) clearInterval(timer)
  }
  const timer = setInterval(update, 1000)
  update()
}
