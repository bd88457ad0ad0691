import type { AuditVerification } from '../../../admin-contract/audit-verification.ts'
import { isolated } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { check, shield, warning } from '../../../ui/icons.ts'
import { Problem } from '../../../ui/messages.tsx'
import { Time } from '../../parts/time.tsx'
import { auditPlace } from '../../session/places.ts'
import { Link } from '../../session/router.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useAttempt } from '../../hooks/use-attempt.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { useRepeated } from '../../hooks/use-repeated.ts'
import { useSpeech, useWords } from '../../words/speech.tsx'

/** How often the page looks how far a verification is, milliseconds. */
const interval = 2_000

/** Whether the trail is as it was recorded, for those who see all of it. */
export function Verification() {
  const { administrator } = useSignedIn().session
  const seesAll =
    administrator.role === 'owner' || (administrator.role === 'auditor' && administrator.domains.length === 0)
  return seesAll ? <VerificationBar /> : null
}

function VerificationBar() {
  const {
    words: {
      audit: { verify },
    },
    locale,
  } = useSpeech()
  const { client } = useSignedIn()
  const { busy, problem, run } = useAttempt()
  const loaded = useLoad('verification', (unattended) =>
    client.call('GET /admin/audit/verification', {}, { unattended }),
  )
  const { value } = loaded
  const running = value !== undefined && value.percent !== null
  useRepeated(running, interval, () => loaded.reload(true))

  async function start() {
    await client.call('POST /admin/audit/verification', {})
    await loaded.reload()
  }
  if (!value) return null
  const percent = new Intl.NumberFormat(locale, { style: 'percent' }).format((value.percent ?? 0) / 100)
  return (
    <section class="notice-bar verification" aria-label={verify.title}>
      <Result value={value} />
      {running ? (
        <p class="running" role="status">
          <progress max={100} value={value.percent ?? 0} aria-label={verify.title} />
          {verify.running(percent)}
        </p>
      ) : (
        <Button class="outlined" aria-disabled={busy} onClick={() => busy || void run(start)} label={verify.button} />
      )}
      <Problem text={problem} />
    </section>
  )
}

function Result({ value: { last } }: { readonly value: AuditVerification }) {
  const {
    audit: { verify },
  } = useWords()
  if (!last) {
    return (
      <>
        <Icon path={shield} />
        <p>{verify.never}</p>
      </>
    )
  }
  const { first, findings, entries, at, name } = last
  const when = (
    <small>
      {verify.by(isolated(name))} · <Time at={at} />
    </small>
  )
  if (!first) {
    return (
      <>
        <span class="ok">
          <Icon path={check} />
        </span>
        <p>
          {verify.good(entries)}
          {when}
        </p>
      </>
    )
  }
  return (
    <>
      <span class="danger">
        <Icon path={warning} />
      </span>
      <div class="finding" role="alert">
        <p>
          <strong>
            {verify.bad(findings)} {verify.kinds[first.kind]}
          </strong>
        </p>
        <p>{verify.advice}</p>
        {first.position === null ? null : (
          <Link to={auditPlace({ before: String(first.position + 1) })} class="link">
            {verify.show}
          </Link>
        )}
        {when}
      </div>
    </>
  )
}
