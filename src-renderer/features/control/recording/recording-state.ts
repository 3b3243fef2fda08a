import { defineStore } from 'pinia';
import { computed, ref } from 'vue';

/** Whether this page records, for screens that need no more: the recorder itself is loaded with Control. */
export const useRecordingState = defineStore('recording-state', () => {
  /** When the recording that runs was started, wall-clock ms of this page; undefined if none runs. */
  const startedAt = ref<number>();
  return { startedAt, isRunning: computed(() => startedAt.value !== undefined) };
});
