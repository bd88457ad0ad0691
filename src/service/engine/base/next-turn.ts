import { beginStep } from './waiting-caller.ts'

/** Lets requests run before a long computation goes on. What follows is a step of its own. */
export async function nextTurn(): Promise<void> {
  await new Promise<void>((resolve) => void setImmediate(resolve))
  beginStep()
}
