import { render } from 'preact'

import { takeInvitation } from './session/invitation.ts'
import { Root } from './root.tsx'

// Before anything else: a token in the address bar can be seen by others, and stays in the history.
const invitation = takeInvitation()
const root = document.querySelector('#app')
if (root) {
  render(<Root invitation={invitation} />, root)
}
