/** Imported before all others: React Query, axios and Angular then need no change. */
import { followSecondStep } from 'second-factor/browser'

followSecondStep()
