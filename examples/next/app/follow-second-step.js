'use client'
import { followSecondStep } from 'second-factor/browser'

followSecondStep()

/** Leads users on when a server action or a call of your API was refused. */
export function FollowSecondStep() {
  return null
}
