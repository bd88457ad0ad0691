import type { MailSettings } from '../../challenge/user.ts'
import { TimeZone } from '../../contract/users.ts'
import type { WebRequest } from '../request/web-request.ts'
import { languageTagFor } from './languages.ts'

/**
 * How mails to the user are written: in the language of the page, with times as the app tells them, or else the browser. A script of
 * our pages adds the time zone to their forms.
 */
export function mailSettingsOf({ req, context, user, form }: WebRequest): MailSettings {
  const parsed = TimeZone.safeParse(form['timeZone'])
  return { language: languageTagFor(req, context), timeZone: user.timeZone ?? parsed.data }
}
