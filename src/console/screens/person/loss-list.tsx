import { isolated } from '../../../ground/printable.ts'
import type { Losses } from './losses.ts'
import { useSignedIn } from '../../session/session.tsx'
import { useSpeech, useWords } from '../../words/speech.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'

/** Names what an action removes, so that nobody has to remember what a person has. */
export function LossList({ losses }: { readonly losses: Losses }) {
  const words = useWords()
  const { locale } = useSpeech()
  const { domains } = useSignedIn().session
  const { tokens = [], hardware, passkeys = [], codes = [], browsers = [] } = losses
  const inApp = (name: string, domain: string) => {
    const app = domains.length > 1 ? domains.find(({ id }) => id === domain)?.name : undefined
    return app === undefined ? isolated(name) : `${isolated(name)} (${isolated(app)})`
  }
  const listed = (label: string, names: readonly string[]): readonly Fact[] =>
    names.length === 0
      ? []
      : [
          {
            label: names.length === 1 ? label : `${label} (${new Intl.NumberFormat(locale).format(names.length)})`,
            value: new Intl.ListFormat(locale).format(names),
          },
        ]
  const facts = [
    ...listed(
      words.devices,
      tokens.map(({ device, domain }) => inApp(device?.name ?? '', domain)),
    ),
    ...listed(
      words.hardware,
      hardware ? [hardware.selfEnrolled ? words.authenticatorApp : isolated(hardware.serialNumber)] : [],
    ),
    ...listed(
      words.passkeys,
      passkeys.map(({ name }) => isolated(name)),
    ),
    ...listed(words.bypassCodes, codes.length > 0 ? [words.codesLeft(codes.length)] : []),
    ...listed(
      words.browsers,
      browsers.map(({ name, domain }) => inApp(name ?? words.unnamedBrowser, domain)),
    ),
  ]
  return (
    <div class="card losses">
      <strong>{words.losses}</strong>
      {facts.length === 0 ? <p>{words.noLosses}</p> : <Facts facts={facts} />}
    </div>
  )
}
