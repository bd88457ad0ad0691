import type { Consent } from '../../../admin-contract/consents.ts'
import { printable } from '../../../ground/printable.ts'
import { type Fact, Facts } from '../../parts/facts.tsx'
import type { Words } from '../../texts/en.ts'
import { useWords } from '../../words/speech.tsx'

/** Everything that the action would do, in words: the colleague consents to what is here, and to nothing else. */
export function ConsentFacts({ consent }: { readonly consent: Consent }) {
  const words = useWords()
  const { parameters, domains, passkey } = consent
  const described = Object.entries(parameters).flatMap(([name, value]) => describe(words, name, value, passkey) ?? [])
  const apps = domains.map(({ name }) => printable(name)).join(words.comma)
  return <Facts facts={[...described, ...(apps === '' ? [] : [text(words.domains, apps)])]} />
}

const text = (label: string, value: string | number): Fact => ({ label, value: <bdi>{printable(String(value))}</bdi> })

/** A parameter without words is shown as it is, so that none is hidden. */
function describe(words: Words, name: string, value: string | number, passkey?: string): Fact | undefined {
  switch (name) {
    case 'domainId':
      // Among the apps in which the action counts.
      return undefined
    case 'email':
      return text(words.mail.newAddress, value === '' ? words.noEmail : value)
    case 'serialNumber':
      return text(words.serialNumber, value)
    case 'passkeyId':
      return text(words.factors.passkey, passkey ?? value)
    case 'usesAllowed':
      return text(words.uses, words.times(Number(value)))
    case 'expirationTime':
      return text(words.validFor, validity(words, Number(value)))
    case 'days':
      return text(words.mail.validFor, words.mail.days(Number(value)))
    default:
      return text(name, value)
  }
}

/** @param minutes 0: without an end. */
function validity(words: Words, minutes: number): string {
  if (minutes === 0) return words.withoutEnd
  if (minutes % (24 * 60) === 0) return words.mail.days(minutes / (24 * 60))
  return minutes % 60 === 0 ? words.duration(minutes / 60) : words.minutes(minutes)
}
