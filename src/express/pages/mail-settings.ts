import type { IncomingMessage } from 'node:http'

import type { MailSettings } from '../../challenge/user.ts'
import { isTimeZone, timeZoneCookie } from '../../contract/time-zones.ts'
import type { WebRequest } from '../request/web-request.ts'
import { languageTagFor } from './languages.ts'

/** How mails to the user are written: in the language of the page, with times as the app or else the browser tells them. */
export function mailSettingsOf({ req, context }: Pick<WebRequest, 'req' | 'context'>): MailSettings {
  return { language: languageTagFor(req, context), timeZone: context.user?.timeZone ?? timeZoneOf(req) }
}

/** The time zone that a script of our pages has told. Anybody can send any text. */
function timeZoneOf({ headers }: IncomingMessage): string | undefined {
  const value = new RegExp(`(?:^|; )${timeZoneCookie}=([^;]{1,192})`).exec(headers.cookie ?? '')?.[1]
  if (value === undefined) return undefined
  const zone = value.replaceAll(/%2F/gi, '/')
  return zone.length <= 64 && isTimeZone(zone) ? zone : undefined
}
