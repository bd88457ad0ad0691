/** Says until when, where the server could only say for how long: what time it is here it does not know. */
export function showClockTimes(): void {
  for (const words of document.querySelectorAll<HTMLElement>('[data-until]')) {
    const until = new Date(Number(words.dataset['until']) * 1000)
    words.textContent = (words.dataset['words'] ?? '{time}').replace('{time}', clockTime(until))
  }
}

/** The day is said where it is another one. */
function clockTime(time: Date): string {
  const day = time.toDateString() === new Date().toDateString() ? {} : ({ weekday: 'long' } as const)
  return time.toLocaleString(document.documentElement.lang, { ...day, hour: 'numeric', minute: '2-digit' })
}
