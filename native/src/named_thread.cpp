#include "named_thread.h"

#include <pthread.h>

#include <system_error>

#include "error.h"

namespace armature {

std::thread startThread(const char* name, std::function<void()> work) {
  try {
    std::thread thread(std::move(work));
    pthread_setname_np(thread.native_handle(), name);
    return thread;
  } catch (const std::system_error& error) {
    throw HardwareError("hardware.busy", "",
                        std::string("no thread could be started (") + name + "): " + error.what() +
                            "; raise the limit of processes (ulimit -u, TasksMax of the service, --pids-limit of the container)",
                        error.code().value(), "clone");
  }
}

}  // namespace armature
