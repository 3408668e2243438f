export async function measureNsip() {
  return {}
}
