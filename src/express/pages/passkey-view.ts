import type { StatusPage } from './status-view.ts'
import { stepUpHeadline } from './status-view.ts'
import { cancelWords } from './waiting-view.ts'

/** The page that asks for a passkey. Beside the other ways, because extensions of browsers can take over its dialog. */
export function passkeyView(page: StatusPage) {
  const { layout, challenge, status } = page
  const { passkey } = layout.words
  const headlines = {
    sign_in: passkey.headline,
    step_up: stepUpHeadline(page) ?? passkey.stepUp,
    change_devices: passkey.changeDevices,
  }
  return {
    ...layout,
    live: status.kind === 'waiting',
    typing: true,
    usesPasskeys: true,
    usesBrowserKey: true,
    headline: headlines[challenge.purpose],
    said: challenge.notice?.kind === 'wrong_passkey' ? layout.words.notices.wrong_passkey.sentence : undefined,
    cancel: cancelWords(page)[challenge.purpose],
  }
}
