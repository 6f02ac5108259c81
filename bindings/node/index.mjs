import toolkeep from './lib.cjs'

export const { Runtime, ToolError, ToolkeepError, scrub, version } = toolkeep

export default toolkeep
