import { formatDuration } from '../contract/format-duration.ts'

const language = document.documentElement.lang

/** Counts down the text and the ring, and warns once before the end, without moving the focus. */
export function showTimeLeft(): void {
  const words = document.getElementById('time')
  if (!words) return
  const ring = document.getElementById('ring')
  const news = document.getElementById('news')
  const total = Number(words.dataset['total'])
  const warnAt = Number(news?.dataset['at'])
  let warned = false
  countDown(Number(words.dataset['left']), (left) => {
    words.textContent = withTime(words.dataset['words'], left)
    ring?.style.setProperty('stroke-dashoffset', String(1 - left / total))
    if (!news || warned || left > warnAt) return
    warned = true
    news.textContent = news.dataset['words'] ?? ''
  })
}

/** Enables buttons after their wait, and counts it down. The server enforces the wait as well. */
export function showWaits(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-wait]')) {
    countDown(Number(button.dataset['wait']), (left) => {
      button.disabled = left > 0
      button.textContent = left > 0 ? withTime(button.dataset['words'], left) : (button.dataset['ready'] ?? '')
    })
  }
}

function withTime(template = '{time}', seconds: number): string {
  return template.replace('{time}', formatDuration(language, seconds))
}

function countDown(seconds: number, show: (left: number) => void): void {
  const loaded = performance.now()
  const timer = setInterval(update, 1000)
  update()

  function update(): void {
    // The time goes on at the server: online again, the page shows what is left.
    if (!navigator.onLine) return
    const left = Math.max(0, Math.ceil(seconds - (performance.now() - loaded) / 1000))
    show(left)
    if (left === 0) clearInterval(timer)
  }
}
