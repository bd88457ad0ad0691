import { timeZoneCookie } from '../contract/time-zones.ts'

/** Tells the server where the clock of this browser is, for the times in mails. */
export function tellTimeZone(base: string): void {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  document.cookie = `${timeZoneCookie}=${encodeURIComponent(timeZone)}; path=${base}; samesite=lax`
}
