import type { Health } from '../../../admin-contract/overview.ts'
import { printable } from '../../../ground/printable.ts'
import { check, warning } from '../../../ui/icons.ts'
import { Badge } from '../../parts/badge.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Time } from '../../parts/time.tsx'
import { useWords } from '../../words/speech.tsx'

/** Whether the parts of the service work. */
export function HealthCard({ health: { nodes, keysAgree, mail, push } }: { readonly health: Health }) {
  const { overview: words } = useWords()
  return (
    <section class="card">
      <h2>{words.health}</h2>
      <Facts
        facts={[
          {
            label: words.nodes,
            value: (
              <ul class="list">
                {nodes.map(({ name, seenAt }) => (
                  <li key={name}>
                    <bdi>{printable(name)}</bdi> · <Time at={seenAt} />
                  </li>
                ))}
              </ul>
            ),
          },
          { label: words.keys, value: <State good={keysAgree} yes={words.keysAgree} no={words.keysDiffer} /> },
          { label: words.mail, value: <State good={mail} yes={words.ready} no={words.mailMissing} /> },
          { label: words.push, value: <State good={push} yes={words.ready} no={words.pushMissing} /> },
        ]}
      />
    </section>
  )
}

interface StateProps {
  readonly good: boolean
  readonly yes: string
  readonly no: string
}

function State({ good, yes, no }: StateProps) {
  return (
    <span class="badges">
      <Badge icon={good ? check : warning} text={good ? yes : no} tone={good ? 'plain' : 'danger'} />
    </span>
  )
}
