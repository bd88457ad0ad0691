/** Imported before all others: React Query, axios, Apollo and Angular then need no change. */
import { followSecondStep } from 'second-factor/browser'

followSecondStep()
