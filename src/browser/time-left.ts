import { formatDuration } from '../contract/format-duration.ts'

const language = document.documentElement.lang

/** Counts down the text and the ring, and warns once before the end, without moving the focus. */
export function showTimeLeft(): void {
  const words = document.getElementById('time')
  if (!words) return
  const ring = document.getElementById('ring')
  const notice = document.getElementById('news')
  const total = Number(words.dataset['total'])
  const warnAt = Number(notice?.dataset['at'])
  let warned = false
  countDown(Number(words.dataset['left']), (secondsLeft) => {
    words.textContent = withTime(words.dataset['words'], secondsLeft)
    ring?.style.setProperty('stroke-dashoffset', String(1 - secondsLeft / total))
    if (!notice || warned || secondsLeft > warnAt) return
    warned = true
    notice.textContent = notice.dataset['words'] ?? ''
  })
}

/** Enables buttons after their wait, and counts it down. The server enforces the wait as well. */
export function showWaits(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-wait]')) {
    countDown(Number(button.dataset['wait']), (secondsLeft) => {
      button.disabled = secondsLeft > 0
      button.textContent =
        secondsLeft > 0 ? withTime(button.dataset['words'], secondsLeft) : (button.dataset['ready'] ?? '')
    })
  }
}

function withTime(template = '{time}', seconds: number): string {
  return template.replace('{time}', formatDuration(language, seconds))
}

function countDown(seconds: number, show: (secondsLeft: number) => void): void {
  const loaded = performance.now()
  const timer = setInterval(update, 1000)
  update()

  function update(): void {
    // The time goes on at the server: online again, the page shows what is left.
    if (!navigator.onLine) return
    const secondsLeft = Math.max(0, Math.ceil(seconds - (performance.now() - loaded) / 1000))
    show(secondsLeft)
    if (secondsLeft === 0) clearInterval(timer)
  }
}
