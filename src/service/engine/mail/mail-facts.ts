import { cutText } from '../../../ground/cut-text.ts'
import type { Attribute } from '../../../contract/sessions.ts'
import { placeKey } from '../../../contract/session-facts.ts'
import type { Actor } from '../audit/entry.ts'
import type { Queryable } from '../database/schema/schema.ts'
import type { MailRows } from './mail-rows.ts'
import { nameIn } from './mail-language.ts'
import type { MailLanguage } from './mail-language.ts'
import type { Author } from './kinds.ts'

/** The facts of an event in a mail, as far as they are known. */
export interface MailFacts {
  readonly device?: string | undefined
  /** The browser, such as Firefox, and its system. */
  readonly browser?: string | undefined
  readonly place?: string | undefined
  readonly by?: Author | undefined
}

/** The sources of the facts of an event. */
export interface FactSources {
  readonly userId: string
  /** The device that the event is about. */
  readonly changedDevice?: string | undefined
  /** The approval with which the user has confirmed it. */
  readonly pass?: string | undefined
  /** The attributes of the session that it is about. */
  readonly attributes?: readonly Attribute[] | undefined
  /** The facts that are known already. */
  readonly facts?: MailFacts | undefined
}

/** Reads the facts within the transaction of the event. */
export async function factsOf(
  db: Queryable,
  rows: MailRows,
  actor: Actor | undefined,
  { userId, changedDevice, pass, attributes, facts }: FactSources,
): Promise<MailFacts> {
  const device = changedDevice === undefined ? undefined : await rows.device(db, changedDevice)
  const session = pass === undefined ? undefined : await rows.confirmation(db, { id: pass, userId })
  const attributeList = attributes ?? (session ? (JSON.parse(session.attributes) as Attribute[]) : [])
  const valueOf = (name: string) => attributeList.find(({ key }) => key === name)?.value
  const browser = [valueOf('Browser'), valueOf('System')].filter(Boolean).join(', ')
  return {
    device: device?.name,
    browser: browser || undefined,
    place: valueOf(placeKey),
    by: session ? 'you' : await authorOf(db, rows, actor),
    ...facts,
  }
}

async function authorOf(db: Queryable, rows: MailRows, actor: Actor | undefined): Promise<Author | undefined> {
  if (actor?.kind === 'api_key') return 'app'
  if (actor?.kind === 'cli') return 'administrator'
  if (actor?.kind !== 'administrator') return undefined
  return (await rows.administrator(db, actor.id))?.role === 'helpdesk' ? 'help_desk' : 'administrator'
}

/** The facts in one line; empty if nothing is known. */
export function factLine(language: MailLanguage, { device, browser, place, by }: MailFacts): string {
  const { facts } = language.words
  const lines = [
    device === undefined ? [] : facts.device(nameIn(language, harmless(device))),
    browser === undefined ? [] : facts.browser(nameIn(language, harmless(browser))),
    place === undefined ? [] : facts.place(nameIn(language, harmless(place))),
    by === undefined ? [] : facts.by(facts.authors[by]),
  ]
  return lines.flat().join(' · ')
}

/** An attacker may have chosen it: nothing in it becomes a link, and it is too short for a story. */
const harmless = (text: string): string => cutText(text.replace(/[^\p{L}\p{M}\p{N} ,()'’·-]+/gu, ' '), 60)
