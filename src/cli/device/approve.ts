import type { Device } from '../../device/device.ts'
import { DeviceError, isGone } from '../../device/device-error.ts'
import { numberFor, sendAnswer } from './answer.ts'
import { canAsk } from './ask.ts'
import { explain, Failure } from './failure.ts'
import type { Pending } from './pending.ts'
import { pinOf } from './pin.ts'
import type { PinSettings } from './pin.ts'

export interface ApproveSettings extends PinSettings {
  readonly number?: string
  readonly state: string
}

/** Approves with all that is asked for. A mistyped PIN is asked for again while there is somebody to ask. */
export async function approve(device: Device, pending: Pending, settings: ApproveSettings): Promise<void> {
  const number = await numberFor(pending, settings.number, settings.state)
  for (;;) {
    const pin = await pinOf(pending.account, settings)
    try {
      return await sendAnswer(device, pending, 'approve', { number, pin })
    } catch (error) {
      if (pin !== undefined && isGone(error)) throw new Failure(triesUsedUp, undefined, { cause: error })
      if (!isWrongPin(error) || settings.pinStdin || !canAsk()) throw error
      console.error(explain(error))
    }
  }
}

export const triesUsedUp =
  'The PIN or passcode was wrong too often: the account was removed. Activate a new code to add it again.'

const isWrongPin = (error: unknown) => error instanceof DeviceError && error.triesLeft !== undefined
