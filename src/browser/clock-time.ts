import { latinDigits } from '../contract/languages.ts'

/** Shows the time in the user's time zone, which the server does not know: it can only say how long. */
export function showClockTimes(): void {
  for (const words of document.querySelectorAll<HTMLElement>('[data-until]')) {
    const until = new Date(Number(words.dataset['until']) * 1000)
    words.textContent = (words.dataset['words'] ?? '{time}').replace('{time}', clockTime(until))
  }
}

/** Includes the day if it is not today. */
function clockTime(time: Date): string {
  const day = time.toDateString() === new Date().toDateString() ? {} : ({ weekday: 'long' } as const)
  const format = { ...latinDigits, ...day, hour: 'numeric', minute: '2-digit' } as const
  return time.toLocaleString(document.documentElement.lang, format)
}
