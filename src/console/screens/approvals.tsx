import { inbox } from '../../ui/icons.ts'
import { Page } from '../parts/page.tsx'
import { Empty, WhenLoaded } from '../parts/states.tsx'
import { personPlace } from '../places.ts'
import { Link } from '../router.tsx'
import { useSignedIn } from '../session.tsx'
import { useLoad } from '../use-load.ts'
import { useRepeated } from '../use-repeated.ts'
import { useWords } from '../words/speech.tsx'
import { ApprovalCard } from './approval-card.tsx'

/** How often new requests are looked for, milliseconds. */
const interval = 10_000

/** What administrators ask each other to approve. */
export function ApprovalsScreen() {
  const words = useWords()
  const { client } = useSignedIn()
  const approvals = useLoad('approvals', (unattended) => client.call('GET /admin/approvals', {}, { unattended }))
  useRepeated(true, interval, () => void approvals.reload(true))
  return (
    <Page title={words.approvals} sentence={words.approvalsSentence}>
      <WhenLoaded of={approvals}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon={inbox}>
              <p>{words.noApprovals}</p>
            </Empty>
          ) : (
            <ul class="list approvals">
              {list.map((approval) => (
                <li key={approval.id}>
                  <ApprovalCard approval={approval} reload={approvals.reload} />
                  <Link to={personPlace(approval.person.id)} class="link">
                    {words.openPerson}
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </WhenLoaded>
    </Page>
  )
}
