import { isolated } from '../../ground/printable.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import * as icons from '../../ui/icons.ts'
import type { Inbox, ShownNotice } from './use-inbox.ts'
import { nameOfUser } from '../accounts/user-name.ts'
import { useSpeech } from '../words/speech.tsx'

/** The changes of the user's factors, one card each, until the person dismisses them. */
export function ChangeNotices({ inbox }: { readonly inbox: Inbox }) {
  return inbox.notices.map((shownNotice) => (
    <ChangeNotice
      key={shownNotice.notice.id}
      shownNotice={shownNotice}
      onDismiss={() => void inbox.dismiss(shownNotice)}
    />
  ))
}

function ChangeNotice({
  shownNotice,
  onDismiss,
}: {
  readonly shownNotice: ShownNotice
  readonly onDismiss: () => void
}) {
  const { words, locale } = useSpeech()
  const { account, notice } = shownNotice
  const name = words.at(isolated(nameOfUser(account.user)), isolated(notice.domain.name))
  const sentence = words.factorChanges[notice.kind](name)
  return (
    <section class="card hint" aria-label={words.factorChanged}>
      <div class="status" role="status">
        <Icon path={icons.warning} />
        <div class="notice">
          <p>
            <strong>{sentence}</strong>
          </p>
          <p>{words.factorChangeNotYou}</p>
          <small>
            <time dateTime={new Date(notice.createdAt * 1000).toISOString()}>{momentOf(notice.createdAt, locale)}</time>
          </small>
        </div>
      </div>
      <div class="actions">
        <Button
          class="outlined"
          aria-label={`${words.dismissNotice}: ${sentence}`}
          onClick={onDismiss}
          label={words.dismissNotice}
        />
      </div>
    </section>
  )
}

/** The text includes the date, as a notice may be a month old. */
function momentOf(seconds: number, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(seconds * 1000)
}
