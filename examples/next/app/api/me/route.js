import { secondStep } from '../../../second-step.js'

export async function GET() {
  const { factor } = await secondStep()
  return Response.json({ factor })
}
