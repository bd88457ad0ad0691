import type { Person } from '../../../admin-contract/people.ts'
import { isolated } from '../../../ground/printable.ts'
import type { Client } from '../../client/client.ts'
import { hasCode, retryAfterOf } from '../../client/errors.ts'
import { ToldError } from '../../hooks/told-error.ts'
import type { Words } from '../../texts/en.ts'
import type { PersonAction } from './action.ts'

/** The person, and what its page offers. */
export interface MailedPerson {
  readonly client: Client
  readonly words: Words
  readonly person: Person
  /** A time, with its day unless that is today. */
  readonly dayTime: (at: number) => string
  /** Reads the person again. */
  readonly reload: () => Promise<void>
}

/** Links that set up a device, and the address that they are mailed to. */
export function mailActionsOn({ client, words: { mail }, person, dayTime, reload }: MailedPerson) {
  const name = isolated(person.name)
  const params = { userId: person.id }
  const showLink = (domainId: string, texts: Words['mail']['link']): PersonAction => ({
    action: texts.button,
    title: texts.title(name),
    sentence: texts.sentence,
    done: mail.linkReady(name),
    operation: 'showEnrollmentLink',
    parameters: ({ days }) => ({ domainId, days }),
    harmless: true,
    async run(because, { days }) {
      const { code, ...link } = await client.call('POST /admin/people/:userId/domains/:domainId/enrollment-link', {
        params: { ...params, domainId },
        body: { because, days },
      })
      return { title: mail.linkFor(name), code, link }
    },
  })
  return {
    /** @param apps Those that the link can be for; the first one unless another is chosen. */
    sendMail: (apps: readonly string[]): PersonAction => ({
      action: mail.send.button,
      title: mail.send.title(name),
      sentence: mail.send.sentence(isolated(person.email)),
      done: mail.send.done(name),
      operation: 'sendEnrollmentMail',
      apps,
      values: { domainId: apps[0] ?? '' },
      parameters: ({ days, domainId }) => ({ domainId, days }),
      asks: 'days',
      harmless: true,
      async run(because, { days, domainId }) {
        try {
          await client.call('POST /admin/people/:userId/domains/:domainId/enrollment-mail', {
            params: { ...params, domainId },
            body: { because, days },
          })
        } catch (error) {
          if (!hasCode(error, 'api.error.toomanyrequests')) throw error
          const next = Math.ceil(Date.now() / 1000) + (retryAfterOf(error) ?? 60)
          throw new ToldError(mail.limit(dayTime(next)), error)
        }
        return undefined
      },
    }),
    /** The first device of a domain; an administrator may have mailed the link already. */
    showLink: (domainId: string): PersonAction => ({ ...showLink(domainId, mail.link), asks: 'days' }),
    /** Shows a link for a device in place of the current one. */
    replaceDevice: (domainId: string): PersonAction => showLink(domainId, mail.another),
    changeEmail: (): PersonAction => ({
      action: mail.email.button,
      title: mail.email.title(name),
      sentence: mail.email.sentence,
      done: mail.email.done(name),
      operation: 'changePersonEmail',
      parameters: ({ email }) => ({ email }),
      asks: 'email',
      harmless: true,
      async run(because, { email }) {
        const input = { params, body: { because, email } }
        try {
          await client.call('PUT /admin/people/:userId/email', input, { version: person.version })
        } catch (error) {
          if (!hasCode(error, 'api.error.precondition')) throw error
          await reload()
          throw new ToldError(mail.changed, error)
        }
        return undefined
      },
    }),
  }
}
