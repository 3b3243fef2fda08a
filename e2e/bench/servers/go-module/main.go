// A module whose sensors answer at once, so that a call costs only the way to the module and back. It is written
// against the public definitions alone, so that the compared machine servers run the same program.
package main

import (
	"context"
	"log"
	"net"
	"os"
	"os/signal"
	"syscall"

	commonpb "go.viam.com/api/common/v1"
	sensorpb "go.viam.com/api/component/sensor/v1"
	modulepb "go.viam.com/api/module/v1"
	robotpb "go.viam.com/api/robot/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/reflection"
	"google.golang.org/protobuf/types/known/structpb"
)

const model = "acme:bench:sensor"

type module struct {
	modulepb.UnimplementedModuleServiceServer
}

func (module) Ready(context.Context, *modulepb.ReadyRequest) (*modulepb.ReadyResponse, error) {
	sensors := &modulepb.HandlerDefinition{
		Subtype: &robotpb.ResourceRPCSubtype{
			Subtype:      &commonpb.ResourceName{Namespace: "rdk", Type: "component", Subtype: "sensor"},
			ProtoService: sensorpb.SensorService_ServiceDesc.ServiceName,
		},
		Models: []string{model},
	}
	return &modulepb.ReadyResponse{
		Ready:      true,
		Handlermap: &modulepb.HandlerMap{Handlers: []*modulepb.HandlerDefinition{sensors}},
	}, nil
}

func (module) ValidateConfig(
	context.Context, *modulepb.ValidateConfigRequest,
) (*modulepb.ValidateConfigResponse, error) {
	return &modulepb.ValidateConfigResponse{}, nil
}

func (module) AddResource(context.Context, *modulepb.AddResourceRequest) (*modulepb.AddResourceResponse, error) {
	return &modulepb.AddResourceResponse{}, nil
}

func (module) ReconfigureResource(
	context.Context, *modulepb.ReconfigureResourceRequest,
) (*modulepb.ReconfigureResourceResponse, error) {
	return &modulepb.ReconfigureResourceResponse{}, nil
}

func (module) RemoveResource(
	context.Context, *modulepb.RemoveResourceRequest,
) (*modulepb.RemoveResourceResponse, error) {
	return &modulepb.RemoveResourceResponse{}, nil
}

type sensor struct {
	sensorpb.UnimplementedSensorServiceServer
}

func (sensor) GetReadings(context.Context, *commonpb.GetReadingsRequest) (*commonpb.GetReadingsResponse, error) {
	return &commonpb.GetReadingsResponse{Readings: map[string]*structpb.Value{"celsius": structpb.NewNumberValue(21.5)}}, nil
}

func main() {
	if len(os.Args) < 2 {
		log.Fatal("the first argument is the path of the socket to serve on")
	}
	listener, err := net.Listen("unix", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	modulepb.RegisterModuleServiceServer(server, module{})
	sensorpb.RegisterSensorServiceServer(server, sensor{})
	// The machine server uses it to look up the methods of a service.
	reflection.Register(server)
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-ended
		server.Stop()
	}()
	if err := server.Serve(listener); err != nil {
		log.Fatal(err)
	}
}
