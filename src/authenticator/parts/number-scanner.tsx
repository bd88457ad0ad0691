import type { Clock } from '../../ground/clock.ts'
import type { DeviceRequest } from '../../contract/device-answers.ts'
import { parseScanCode } from '../../contract/scan-code.ts'
import { IconButton } from '../../ui/button.tsx'
import * as icons from '../../ui/icons.ts'
import { Viewfinder } from './viewfinder.tsx'
import { focus } from './secret-field.tsx'
import { useWords } from '../words/speech.tsx'

interface NumberScannerProps {
  readonly clock: Clock
  readonly request: Pick<DeviceRequest, 'id'>
  /** Receives the secret of a code of this request. */
  readonly onSecret: (secret: string) => void
  /** Says why a code is not sent. */
  readonly onHint: (hint: string) => void
  /** Returns to typing; with a reason if the camera did not open. */
  readonly onClose: (reason?: string) => void
}

/** The camera, in place of the field for the number. Only a code of this very request is sent: a wrong one denies it. */
export function NumberScanner({ clock, request, onSecret, onHint, onClose }: NumberScannerProps) {
  const words = useWords()

  function read(text: string) {
    const code = parseScanCode(text)
    if (code?.sessionId === request.id) onSecret(code.secret)
    // Also of another request: with two open ones, one may be an attacker's, who has shown the person this code.
    else onHint(words.scanNotNumber)
  }
  return (
    <div class="asked">
      <IconButton
        icon={icons.back}
        label={words.typeNumber}
        aria-describedby="scanning"
        onClick={() => onClose()}
        ref={focus}
      />
      <Viewfinder clock={clock} onText={read} onTrouble={(trouble) => onClose(words[trouble])} />
    </div>
  )
}
